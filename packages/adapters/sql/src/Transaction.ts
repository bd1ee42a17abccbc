/**
 * Runs several statements in one transaction.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * Runs the statements of an effect in one transaction. Any failure rolls it back.
 *
 * On PostgreSQL the statements assume READ COMMITTED, the default: each statement reads what was committed before it began,
 * and a change that waited for a row lock evaluates its condition again. Under a stricter isolation level they fail with
 * `Contention` instead of waiting. On SQLite a transaction begins as the only writer.
 *
 * When the connection is lost during the transaction, the client's ROLLBACK fails too and dies with the `SqlError`. This
 * function turns that defect into a failure.
 */
export const transaction =
  (sql: SqlClient) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.catchCause(sql.withTransaction(self), (cause) => {
      const lost = cause.reasons.find((reason) => Cause.isDieReason(reason) && isSqlError(reason.defect))
      return lost === undefined || Cause.hasInterrupts(cause) || !Cause.isDieReason(lost) || !isSqlError(lost.defect)
        ? Effect.failCause(cause)
        : Effect.fail(lost.defect)
    })

/** Does so for the effect of a function whose first argument is the client, as the last argument of `Effect.fnUntraced`. */
export const inTransaction = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  sql: SqlClient
): Effect.Effect<A, E | SqlError, R> => transaction(sql)(self)
