import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { expect, layer, vi } from "@effect/vitest"
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { postgres } from "../src/index.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
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
  const place = { tenantId: tenant.id, bucketId: bucket.id }
  const { id } = await holdfast.files.upload(system, { ...place, name: "a.txt", content: "kept" })
  return (await holdfast.files.read(system, { ...place, fileId: id })).text()
}

requires(Postgres.missing).describe("PostgreSQL at the Promise door", () =>
  layer(Postgres.layer({ locale: "C.UTF-8" }), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("keeps the records of files", () =>
      Effect.gen(function* () {
        const { createDatabase } = yield* Postgres.Postgres
        const url = Redacted.value(yield* createDatabase)
        const directory = yield* temporary
        expect(yield* Effect.promise(() => roundTrip(url, directory))).toBe("kept")
      })
    )
  })
)
