/**
 * Waits for a conversion to make progress. The notifier wakes the waiting fiber if the worker is in this process; a poll
 * finds the progress that a worker of another process made.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { ConversionNotifier } from "../ConversionNotifier.ts"

/** Milliseconds between two polls. */
const interval = 500

/**
 * Repeats `attempt` until its result is no longer `isPending`, or `wait` has elapsed. Returns the last result. Every attempt
 * runs completely, the permission check included: a key that is revoked in the meantime ends the wait.
 */
export const pollUntil = Effect.fnUntraced(function* <A, E, R>(
  notifier: ConversionNotifier["Service"],
  attempt: Effect.Effect<A, E, R>,
  isPending: (result: Result.Result<A, E>) => boolean,
  wait: Duration.Duration
): Effect.fn.Return<A, E, R> {
  const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(wait)
  while (true) {
    const progress = yield* notifier.nextProgress
    const result = yield* Effect.result(attempt)
    const remaining = deadline - (yield* Clock.currentTimeMillis)
    if (!isPending(result) || remaining <= 0) return yield* Effect.fromResult(result)
    yield* Effect.timeoutOrElse(progress, {
      duration: Math.min(interval, remaining),
      orElse: () => Effect.void
    })
  }
})
