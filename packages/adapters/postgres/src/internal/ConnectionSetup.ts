/**
 * Prepares a connection for its first statement: sets the timeouts that the server enforces, and refuses a server that accepts no
 * changes.
 *
 * A connection to a standby would read permissions that are revoked already. After a failover, an address may lead to the old
 * server for a while; a refused connection is closed, so that the next attempt may reach the new one.
 */
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import * as ReadOnlyDatabase from "@holdfast/sql/ReadOnlyDatabase"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import * as ConnectionSocket from "./ConnectionSocket.ts"
import type { Watch } from "./SilentServer.ts"

/** Prepares a connection, once. */
export type SetUp = (connection: PgConnection) => Effect.Effect<void, SqlError>

const readOnly = (): SqlError => {
  const cause = ReadOnlyDatabase.cause()
  return new SqlError({ reason: new ConnectionError({ cause, message: cause.message, operation: "connect" }) })
}

/** Sets the timeouts, where the parameters are not null, and returns whether transactions are read-only. */
const statement = `SELECT set_config('statement_timeout', coalesce($1, current_setting('statement_timeout')), false),
  set_config('lock_timeout', coalesce($2, current_setting('lock_timeout')), false),
  set_config('idle_in_transaction_session_timeout', coalesce($3, current_setting('idle_in_transaction_session_timeout')), false),
  current_setting('transaction_read_only') AS read_only`

/**
 * Limits statements to nine tenths of a time, their waits for a lock to half of it, and the waits of a transaction for its next
 * statement to two fifths. With "none" there is no limit; when the timeout is undefined, there are those of the role and the database. So
 * the server ends a statement before `SilentServer` closes its connection, and a transaction of a process that is suspended before others
 * fail that wait for its locks.
 *
 * A statement does so when the connection is first used. Poolers such as PgBouncer would refuse a connection whose startup
 * message has these settings.
 */
export const make = (timeout: Duration.Input | "none" | undefined, watch: Watch): SetUp => {
  const milliseconds =
    timeout === undefined ? undefined : timeout === "none" ? 0 : Math.max(2, Math.ceil(Duration.toMillis(timeout)))
  const settings = [0.9, 0.5, 0.4].map((part) =>
    milliseconds === undefined ? null : String(Math.ceil(milliseconds * part))
  )
  const prepared = new WeakSet<PgConnection>()
  return (connection) =>
    prepared.has(connection)
      ? Effect.void
      : Effect.flatMap(watch.statement(connection, connection.query(statement, settings)), ({ rows: [row] }) => {
          if (row?.read_only === "on") {
            ConnectionSocket.of(connection).destroy()
            return Effect.fail(readOnly())
          }
          prepared.add(connection)
          return Effect.void
        })
}
