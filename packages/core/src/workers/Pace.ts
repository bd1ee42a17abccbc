/**
 * Leaves time to requests between the steps of background work.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The longest rest, in milliseconds: as long as a step of bounded size mostly takes. */
const longestRest = 20

/**
 * Runs a step, and waits for as long as it took, 20 ms at most: half of the time is left to requests. On SQLite, which has one writer, the
 * steps of a worker that does not rest and the writes of requests alternate, and each write waits for a step.
 */
export const paced = Effect.fnUntraced(function* <A, E, R>(step: Effect.Effect<A, E, R>): Effect.fn.Return<A, E, R> {
  const start = yield* Clock.currentTimeMillis
  const result = yield* step
  const took = (yield* Clock.currentTimeMillis) - start
  yield* took > 0 ? Effect.sleep(Duration.millis(Math.min(took, longestRest))) : Effect.yieldNow
  return result
})
