import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, layer, vi } from "@effect/vitest"
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { postgres } from "../src/index.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-postgres-"))),
  (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
)

const roundTrip = async (url: string, directory: string): Promise<string> => {
  await using holdfast = await open({
    metadata: postgres({ url, maxConnections: 10 }),
    blobs: fs({ directory })
  })
  const system = holdfast.system()
  const tenant = await holdfast.tenants.create(system, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(system, { tenantId: tenant.id, name: "media" })
  const bucketRef = { tenantId: tenant.id, bucketId: bucket.id }
  const { id } = await holdfast.files.upload(system, { ...bucketRef, name: "a.txt", content: "text" })
  return (await holdfast.files.read(system, { ...bucketRef, fileId: id })).text()
}

requires(Postgres.missing).describe("PostgreSQL with the Promise API", () =>
  layer(Postgres.layer({ locale: "C.UTF-8" }), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("upload and read → the same content", () =>
      Effect.gen(function* () {
        const { createDatabase } = yield* Postgres.Postgres
        const url = Redacted.value(yield* createDatabase)
        const directory = yield* temporary
        expect(yield* Effect.promise(() => roundTrip(url, directory))).toBe("text")
      })
    )

    it.effect("process: Holdfast is not closed → the process ends by itself", () =>
      Effect.gen(function* () {
        const { createDatabase } = yield* Postgres.Postgres
        const url = Redacted.value(yield* createDatabase)
        const program = fileURLToPath(new URL("programs/unclosed.ts", import.meta.url))
        const args = [program, url, yield* temporary]
        const { stdout } = yield* Effect.promise(() => promisify(execFile)(process.execPath, args, { timeout: 50_000 }))
        expect(stdout).toMatch(/^ten_/)
      })
    )
  })
)
