import { assert, describe, it, layer } from "@effect/vitest"
import * as TestProgram from "@holdfast/testing/processes/TestProgram"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import { tmpdir } from "node:os"
import * as Store from "./support/Store.ts"

const program = (name: string): URL => new URL(`programs/${name}.ts`, import.meta.url)

describe("gcs", () => {
  it.live("load-store: Google's library is imported when a store without credentials is opened, and not before", () =>
    Effect.gen(function* () {
      const output = yield* TestProgram.run(program("load-store"))
      assert.deepStrictEqual(JSON.parse(output), { imported: false, withCredentials: false, without: true })
    })
  )
})

layer(FakeGcs.layer, { excludeTestServices: true })("gcs without credentials", (it) => {
  it.effect("credentials of the machine → used", () =>
    Effect.gen(function* () {
      const { bucket, endpoint } = yield* Store.makeBucket
      const env = {
        // An empty directory, so that the library finds no credentials there.
        HOME: tmpdir(),
        CLOUDSDK_CONFIG: tmpdir(),
        GCE_METADATA_HOST: new URL(endpoint).host
      }
      const output = yield* TestProgram.run(program("machine-credentials"), { args: [endpoint, bucket], env })
      assert.strictEqual(output, "Hello")
    })
  )
})
