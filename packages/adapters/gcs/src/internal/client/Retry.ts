/**
 * Retries of requests that failed temporarily.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as GcsFailure from "../GcsFailure.ts"

/** Returns whether the same request may succeed later. */
export const isTemporary = ({ kind }: GcsFailure.GcsFailure): boolean => kind === "Unavailable"

/** Returns the backoff after so many failures, from 1. */
export const backoff = (failures: number): Duration.Duration => Duration.millis(200 * 2 ** (failures - 1))

const schedule = Schedule.jittered(Schedule.exponential("200 millis"))

/** Makes up to `maxAttempts` attempts while they fail temporarily. */
export const upTo =
  (maxAttempts: number) =>
  <A, R>(self: Effect.Effect<A, GcsFailure.GcsFailure, R>): Effect.Effect<A, GcsFailure.GcsFailure, R> =>
    Effect.retry(self, { while: isTemporary, times: maxAttempts - 1, schedule })
