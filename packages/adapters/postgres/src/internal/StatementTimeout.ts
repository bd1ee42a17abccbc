/**
 * Timeouts of the statements of a connection, which the server enforces.
 */
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Watch } from "./SilentServer.ts"

/** Sets the timeouts of a connection, once. */
export type LimitStatements = (connection: PgConnection) => Effect.Effect<void, SqlError>

/**
 * Limits statements to nine tenths of a time, and their waits for a lock to half of it; no limit when the timeout is undefined.
 * So the server ends a statement before `SilentServer` closes its connection.
 *
 * A statement sets them when the connection is first used. Poolers such as PgBouncer would refuse a connection whose startup
 * message has these settings.
 */
export const make = (timeout: Duration.Input | undefined, watch: Watch): LimitStatements => {
  if (timeout === undefined) return () => Effect.void
  const milliseconds = Math.max(2, Math.ceil(Duration.toMillis(timeout)))
  const settings = [String(Math.ceil(milliseconds * 0.9)), String(Math.ceil(milliseconds / 2))]
  const limited = new WeakSet<PgConnection>()
  return (connection) =>
    limited.has(connection)
      ? Effect.void
      : Effect.map(
          watch.statement(
            connection,
            connection.query(
              "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false)",
              settings
            )
          ),
          () => void limited.add(connection)
        )
}
