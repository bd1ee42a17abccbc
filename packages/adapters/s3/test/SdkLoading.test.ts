import { assert, describe, it } from "@effect/vitest"
import * as TestProgram from "@holdfast/testing/processes/TestProgram"
import * as Effect from "effect/Effect"

describe("s3", () => {
  it.live.each(["load-store", "load-target"])("%s: SDK is imported when it is opened, not with the package", (name) =>
    Effect.gen(function* () {
      const output = yield* TestProgram.run(new URL(`programs/${name}.ts`, import.meta.url))
      assert.deepStrictEqual(JSON.parse(output), { imported: false, opened: true })
    })
  )
})
