/**
 * Transactions of several statements.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * Runs the statements of an effect in one transaction; any failure rolls it back.
 *
 * On PostgreSQL the statements assume READ COMMITTED, its default: each sees what was committed before it began, and a
 * change that waited for a row lock judges the row anew. Under a stricter level they fail with `Contention` where
 * they would have waited. On SQLite a transaction begins as the only writer.
 *
 * When the connection is lost inside, the client's own ROLLBACK cannot succeed either and dies with the error; here
 * it is the failure that it is.
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
