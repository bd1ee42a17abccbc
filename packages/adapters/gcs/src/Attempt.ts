/**
 * A promise as an effect that is cut off when it is interrupted, and repeated when it fails in passing.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as GcsFailure from "./GcsFailure.ts"

/** Has ended when its interruption has. */
export const once = <A>(make: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, GcsFailure.GcsFailure> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const ended = make(controller.signal).then(
      (answer) => resume(Effect.succeed(answer)),
      (cause) => resume(Effect.fail(GcsFailure.of(cause)))
    )
    return Effect.promise(() => {
      controller.abort()
      return ended
    })
  })

export const isPassing = ({ kind }: GcsFailure.GcsFailure): boolean => kind === "Unavailable"

/** Before the attempt after so many failures. */
export const pause = (failures: number): Duration.Duration => Duration.millis(200 * 2 ** (failures - 1))

const pauses = Schedule.jittered(Schedule.exponential("200 millis"))

/** Makes it up to so many times altogether. */
export const repeated =
  (maxAttempts: number) =>
  <A, R>(self: Effect.Effect<A, GcsFailure.GcsFailure, R>): Effect.Effect<A, GcsFailure.GcsFailure, R> =>
    Effect.retry(self, { while: isPassing, times: maxAttempts - 1, schedule: pauses })
