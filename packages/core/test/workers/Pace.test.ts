import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { paced } from "../../src/workers/Pace.ts"

/** Returns how long a step takes with its rest, in milliseconds. */
const durationOf = Effect.fnUntraced(function* (stepMillis: number) {
  const start = yield* Clock.currentTimeMillis
  const step = stepMillis === 0 ? Effect.succeed("result") : Effect.as(Effect.sleep(stepMillis), "result")
  const fiber = yield* Effect.forkChild(
    Effect.flatMap(paced(step), (result) => Effect.map(Clock.currentTimeMillis, (end) => ({ result, end })))
  )
  yield* TestClock.adjust("1 second")
  const { end, result } = yield* Fiber.join(fiber)
  assert.strictEqual(result, "result")
  return end - start
})

describe("paced", () => {
  it.effect.each([
    { step: 0, total: 0 },
    { step: 8, total: 16 },
    { step: 20, total: 40 },
    { step: 300, total: 320 }
  ])("step of $step ms → $total ms with its rest", ({ step, total }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* durationOf(step), total)
    })
  )

  it.effect("step that fails → its failure, without a rest", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(paced(Effect.fail("failure"))), "failure")
    })
  )
})
