/**
 * Retries statements while another process holds the file's write lock. The connection is free between two attempts, so
 * that reads continue while a write waits.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { isSqlError } from "effect/sql/SqlError"

const isBusy = (error: unknown): boolean => isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** Only the first statement of a transaction, BEGIN IMMEDIATE, can fail for a lock. No statement of it has run then. */
const isBusyAtBegin = (error: unknown): boolean =>
  isBusy(error) && isSqlError(error) && error.reason.operation === "begin"

export interface BusyRetry {
  /** Retries a statement outside of a transaction while it fails for a lock, at most for `busyTimeout`. */
  readonly statement: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Retries a transaction while its beginning fails for a lock, at most for `busyTimeout`. */
  readonly transaction: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** How often another process is expected to have the lock: now and then, or for a part of the time. */
export type Contention = "rare" | "frequent"

/** Retries every 10 milliseconds or, when the lock is often taken for a fraction of a millisecond, every millisecond. With jitter. */
export const make = (busyTimeout: Duration.Input, contention: Contention): BusyRetry => {
  const schedule = Schedule.spaced(contention === "rare" ? "10 millis" : "1 milli").pipe(
    Schedule.jittered,
    Schedule.upTo({ duration: busyTimeout })
  )
  // `Effect.retry` has a cost even when the first attempt succeeds, so it wraps only the second and later attempts.
  const retryWhile =
    (isLocked: (error: unknown) => boolean) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.catchIf(self, isLocked, () => Effect.retry(self, { while: isLocked, schedule }))
  return { statement: retryWhile(isBusy), transaction: retryWhile(isBusyAtBegin) }
}
