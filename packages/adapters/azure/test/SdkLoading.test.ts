import { assert, describe, it } from "@effect/vitest"
import * as TestProgram from "@holdfast/testing/processes/TestProgram"
import * as Effect from "effect/Effect"

describe("azure", () => {
  it.live("load-store: SDK is imported when it is opened, not with the package", () =>
    Effect.gen(function* () {
      const output = yield* TestProgram.run(new URL("programs/load-store.ts", import.meta.url))
      assert.deepStrictEqual(JSON.parse(output), { imported: false, opened: true })
    })
  )
})
