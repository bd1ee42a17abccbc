import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as AbortableRequest from "../src/AbortableRequest.ts"

const toError = (cause: unknown) => ["failed", cause] as const

describe("AbortableRequest.call", () => {
  it.live("promise resolves → its value", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* AbortableRequest.call(() => Promise.resolve(7), toError), 7)
    })
  )

  it.live("promise rejects → the mapped error", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(AbortableRequest.call(() => Promise.reject(new Error("down")), toError))
      assert.strictEqual(error[0], "failed")
    })
  )

  it.live("interrupted → the signal aborts, and the interruption waits until the promise has settled", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let hasSettled = false
      const request = (signal: AbortSignal): Promise<void> =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () =>
            setTimeout(() => {
              hasSettled = true
              resolve()
            }, 20)
          )
          Deferred.doneUnsafe(begun, Effect.void)
        })
      const calling = yield* Effect.forkChild(AbortableRequest.call(request, toError))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(calling)
      assert.isTrue(hasSettled)
    })
  )
})

describe("AbortableRequest.call of a client that never ends", () => {
  it.effect("interrupted → the interruption ends after five seconds", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const request = (): Promise<void> => {
        Deferred.doneUnsafe(begun, Effect.void)
        return new Promise(() => {})
      }
      const calling = yield* Effect.forkChild(AbortableRequest.call(request, toError))
      yield* Deferred.await(begun)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(calling))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(interrupting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(interrupting)
    })
  )
})

describe("AbortableRequest.open", () => {
  it.live("scope closes → the signal aborts, and not before", () =>
    Effect.gen(function* () {
      const signal = yield* Effect.scoped(
        Effect.gen(function* () {
          const signal = yield* AbortableRequest.open((signal) => Promise.resolve(signal), toError)
          assert.isFalse(signal.aborted)
          return signal
        })
      )
      assert.isTrue(signal.aborted)
    })
  )

  it.live("promise rejects → the mapped error", () =>
    Effect.gen(function* () {
      const opening = AbortableRequest.open(() => Promise.reject(new Error("down")), toError)
      assert.strictEqual((yield* Effect.flip(opening))[0], "failed")
    })
  )
})
