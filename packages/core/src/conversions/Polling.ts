/**
 * Waiting for a conversion to come further: woken by the worker where it is in this process, and looking now and then
 * where it is in another.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { ConversionNotifier } from "./ConversionNotifier.ts"

/** Milliseconds between two looks. */
const interval = 500

/**
 * Looks until what is found is no longer `isPending`, or the patience has ended; answers with what was found last. Each
 * look is a whole one, so that a key that is revoked meanwhile ends it.
 */
export const look = <A, E, R>(
  signal: ConversionNotifier["Service"],
  attempt: Effect.Effect<A, E, R>,
  isPending: (found: Result.Result<A, E>) => boolean,
  patience: Duration.Duration
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(patience)
    while (true) {
      const found = yield* Effect.result(attempt)
      const left = end - (yield* Clock.currentTimeMillis)
      if (!isPending(found) || left <= 0) return yield* Effect.fromResult(found)
      yield* Effect.timeoutOrElse(signal.awaitAdvance, {
        duration: Math.min(interval, left),
        orElse: () => Effect.void
      })
    }
  })
