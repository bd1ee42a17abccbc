/**
 * Waits for other processes that hold the lock of the file, without holding anything itself: between two attempts the
 * connection is free, so that reads go on while a write waits.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { isSqlError } from "effect/sql/SqlError"

const isBusy = (error: unknown): boolean => isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** Only its first statement can meet a lock, and then nothing of the transaction has run. */
const isBusyAtBegin = (error: unknown): boolean =>
  isBusy(error) && isSqlError(error) && error.reason.operation === "begin"

export interface BusyRetry {
  /** Tries a statement of its own until it is not refused for a lock, or the time is up. */
  readonly statement: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Tries a transaction until it has begun, or the time is up. */
  readonly transaction: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = (busyTimeout: Duration.Input): BusyRetry => {
  const schedule = Schedule.spaced("10 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: busyTimeout }))
  // Retrying costs something even where the first attempt succeeds, so it begins with the second one.
  const until =
    (isRefused: (error: unknown) => boolean) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.catchIf(self, isRefused, () => Effect.retry(self, { while: isRefused, schedule }))
  return { statement: until(isBusy), transaction: until(isBusyAtBegin) }
}
