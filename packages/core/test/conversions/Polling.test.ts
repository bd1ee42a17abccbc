import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as ConversionNotifier from "../../src/conversions/ConversionNotifier.ts"
import * as Polling from "../../src/conversions/internal/Polling.ts"

const isPending = (result: Result.Result<number>): boolean => Result.isFailure(result) || result.success < 2

/** Polls until the second attempt. `during` runs in the first one, after it has looked. */
const poll = (during: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const notifier = yield* ConversionNotifier.ConversionNotifier
    let attempts = 0
    const attempt = Effect.suspend(() => Effect.as(++attempts === 1 ? during : Effect.void, attempts))
    return yield* Polling.pollUntil(notifier, attempt, isPending, Duration.minutes(1))
  })

it.layer(ConversionNotifier.layer)("polling for progress", (it) => {
  it.effect("progress while an attempt runs → the next attempt follows at once", () =>
    Effect.gen(function* () {
      const { notifyProgress } = yield* ConversionNotifier.ConversionNotifier
      expect(yield* poll(notifyProgress)).toBe(2)
    })
  )

  it.effect("no progress in this process → the next attempt follows after half a second", () =>
    Effect.gen(function* () {
      const polling = yield* Effect.forkChild(poll(Effect.void))
      yield* TestClock.adjust("400 millis")
      expect(polling.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("100 millis")
      expect(yield* Fiber.join(polling)).toBe(2)
    })
  )
})
