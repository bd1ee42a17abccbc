/**
 * Suspends a program while its run is suspended, and measures the time for which it was not.
 */
import type { ConvertJob } from "@holdfast/core/transcoding/Transcoder"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Child } from "./process/Child.ts"

export type Suspended = ConvertJob["suspended"]

const awaitState = (suspended: NonNullable<Suspended>, state: boolean) =>
  Stream.runHead(Stream.filter(SubscriptionRef.changes(suspended), (current) => current === state))

/** Stops the program whenever its run is suspended, and continues it afterwards. Runs until interrupted. */
export const follow = (suspended: Suspended, child: Pick<Child, "stop" | "continue">): Effect.Effect<void> =>
  suspended === undefined
    ? Effect.never
    : SubscriptionRef.changes(suspended).pipe(
        Stream.dropWhile((isSuspended) => !isSuspended),
        Stream.runForEach((isSuspended) => (isSuspended ? child.stop : child.continue))
      )

/** Waits until the run was not suspended for this time, in all. */
export const awaitActive = Effect.fnUntraced(function* (
  suspended: Suspended,
  time: Duration.Duration
): Effect.fn.Return<void> {
  if (suspended === undefined) return yield* Effect.sleep(time)
  let left = Duration.toMillis(time)
  while (true) {
    yield* awaitState(suspended, false)
    const start = yield* Clock.currentTimeMillis
    const isOver = yield* Effect.raceFirst(
      Effect.as(Effect.sleep(left), true),
      Effect.as(awaitState(suspended, true), false)
    )
    if (isOver) return
    left -= (yield* Clock.currentTimeMillis) - start
  }
})
