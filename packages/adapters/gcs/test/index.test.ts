import { assert, describe, it, layer } from "@effect/vitest"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import { execFile, execFileSync } from "node:child_process"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Bucket from "./support/Bucket.ts"

const program = (name: string): string => fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))

const run = promisify(execFile)

describe("gcs", () => {
  it("loads Google's library when a store is opened that has no credentials, not before", () => {
    const told = execFileSync(process.execPath, [program("loads")], { encoding: "utf8" })
    assert.deepStrictEqual(JSON.parse(told), { imported: false, withCredentials: false, without: true })
  })
})

layer(FakeGcs.layer, { excludeTestServices: true })("gcs without credentials", (it) => {
  it.effect("takes those of the machine", () =>
    Effect.gen(function* () {
      const { bucket, endpoint } = yield* Bucket.options
      const env = {
        PATH: process.env["PATH"],
        // Nobody's, so that no credentials are found there.
        HOME: tmpdir(),
        CLOUDSDK_CONFIG: tmpdir(),
        GCE_METADATA_HOST: new URL(endpoint).host
      }
      const { stdout } = yield* Effect.promise(() =>
        run(process.execPath, [program("machine"), endpoint, bucket], { env })
      )
      assert.strictEqual(stdout, "Hello")
    })
  )
})
