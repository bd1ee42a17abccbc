import { assert, describe, it } from "@effect/vitest"
import * as CompletionBatcher from "../../src/mirrors/worker/internal/CompletionBatcher.ts"
import type { CopyResult } from "../../src/mirrors/worker/internal/CopyResult.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/** Results are opaque to the batcher. */
const result = (id: number) => ({ id }) as unknown as CopyResult

describe("CompletionBatcher", () => {
  it.effect("takeBatch: results within 100 ms of the first → one batch", () =>
    Effect.gen(function* () {
      const batcher = yield* CompletionBatcher.make
      const taking = yield* Effect.forkChild(batcher.takeBatch, { startImmediately: true })
      yield* batcher.offer(result(1), false)
      yield* TestClock.adjust("60 millis")
      yield* batcher.offer(result(2), false)
      yield* TestClock.adjust("30 millis")
      assert.isUndefined(taking.pollUnsafe())
      yield* TestClock.adjust("10 millis")
      assert.deepStrictEqual(yield* Fiber.join(taking), [result(1), result(2)])
    })
  )

  it.effect("takeBatch: urgent result → the batch is complete at once, the next one waits again", () =>
    Effect.gen(function* () {
      const batcher = yield* CompletionBatcher.make
      yield* batcher.offer(result(1), false)
      yield* batcher.offer(result(2), true)
      assert.deepStrictEqual(yield* batcher.takeBatch, [result(1), result(2)])
      yield* batcher.offer(result(3), false)
      const taking = yield* Effect.forkChild(batcher.takeBatch, { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      assert.isUndefined(taking.pollUnsafe())
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(yield* Fiber.join(taking), [result(3)])
    })
  )

  it.effect("takeAll: after an interrupted takeBatch → no result is lost", () =>
    Effect.gen(function* () {
      const batcher = yield* CompletionBatcher.make
      yield* batcher.offer(result(1), false)
      const taking = yield* Effect.forkChild(batcher.takeBatch, { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      yield* Fiber.interrupt(taking)
      assert.deepStrictEqual(yield* batcher.takeAll, [result(1)])
      assert.deepStrictEqual(yield* batcher.takeAll, [])
    })
  )
})
