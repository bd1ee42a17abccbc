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

  it.live("load-target: SDK is imported when a target is opened, in steps, not with the package", () =>
    Effect.gen(function* () {
      const output = yield* TestProgram.run(new URL("programs/load-target.ts", import.meta.url))
      const { mostPerTurn, ...loaded } = JSON.parse(output)
      assert.deepStrictEqual(loaded, { imported: false, opened: true })
      // Modules that import each other are loaded together.
      assert.isAtMost(mostPerTurn, 5)
      assert.isAtLeast(mostPerTurn, 1)
    })
  )
})
