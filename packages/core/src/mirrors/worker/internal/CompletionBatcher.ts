/**
 * The queue of completed copies, read in batches: recording results is a transaction, so that it pays to record several at once.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import type { CopyResult } from "./CopyResult.ts"

/** How long a batch waits for further results, unless one of them is urgent. */
const maxDelay = "100 millis"

export const make = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<CopyResult>()
  /** Open while the queue has an urgent result. */
  const urgent = Latch.makeUnsafe(false)

  return {
    /** Adds a result. An urgent one completes the batch at once. */
    offer: (result: CopyResult, isUrgent: boolean): Effect.Effect<void> =>
      Effect.andThen(Queue.offer(queue, result), isUrgent ? urgent.open : Effect.void),

    /** Waits for a result, and takes it with those that follow it within `maxDelay`. */
    takeBatch: Queue.peek(queue).pipe(
      Effect.andThen(Effect.raceFirst(Effect.sleep(maxDelay), urgent.await)),
      Effect.andThen(urgent.close),
      Effect.andThen(Queue.takeAll(queue))
    ),

    /** Takes the results that the queue has, which may be none, without waiting. */
    takeAll: Queue.clear(queue)
  }
})
