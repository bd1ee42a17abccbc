/**
 * Waits for a database that is not available yet.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { innermostMessage, type MetadataError } from "@holdfast/core/MetadataError"

/** Milliseconds between the first attempts. They double with each one. */
const firstDelay = 250

/** The most milliseconds between two attempts. */
const longestDelay = 5000

/**
 * Repeats an effect while the database is not available, until it succeeds or the timeout has passed. Other failures, such as a
 * wrong password or a missing database, end it at once.
 */
export const retry = <A, R>(
  self: Effect.Effect<A, MetadataError, R>,
  timeout: Duration.Input
): Effect.Effect<A, MetadataError, R> =>
  Effect.flatMap(Clock.currentTimeMillis, (startedAt) => {
    const end = startedAt + Duration.toMillis(timeout)
    const attempt = (delay: number): Effect.Effect<A, MetadataError, R> =>
      Effect.catch(self, (error) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (!error.isRetryable || now >= end) return Effect.fail(error)
          const wait = Math.min(delay, end - now)
          // No message contains a part of the URL but the address.
          return Effect.logWarning("database not available; retrying").pipe(
            Effect.annotateLogs({ reason: innermostMessage(error), retryInMs: wait, givingUpInMs: end - now }),
            Effect.andThen(Effect.sleep(wait)),
            Effect.andThen(attempt(Math.min(delay * 2, longestDelay)))
          )
        })
      )
    return attempt(firstDelay)
  })
