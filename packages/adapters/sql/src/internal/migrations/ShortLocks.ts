/**
 * Runs a transaction that changes the schema beside running requests.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { transaction } from "../../Transaction.ts"

/** How long a statement waits for a lock on PostgreSQL. */
const lockTimeout = "1s"

/** The first and the longest pause between two attempts, in milliseconds. */
const pauses = { first: 250, longest: 5000 }

const isLockTimeout = (error: unknown): boolean => isSqlError(error) && error.reason._tag === "LockTimeoutError"

/**
 * Runs the transaction until it gets its locks. On PostgreSQL it gives up an attempt after a second: a statement that waits for
 * a table's lock, such as behind a backup, blocks every later statement on that table. SQLite locks the whole file for the time of
 * a transaction anyway.
 */
export const withShortLocks = <A, E, R>(
  sql: SqlClient,
  migration: string,
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  sql.onDialectOrElse({
    pg: () => {
      // Behind a pooler in transaction mode, a connection has the timeouts of the role.
      const limited =
        sql`SELECT set_config('lock_timeout', ${lockTimeout}, true), set_config('statement_timeout', '0', true)`.pipe(
          Effect.andThen(self),
          transaction(sql)
        )
      const attempt = (pause: number): Effect.Effect<A, E | SqlError, R> =>
        Effect.catchIf(limited, isLockTimeout, () =>
          Effect.logWarning("migration waits for a lock; retrying").pipe(
            Effect.annotateLogs({ migration }),
            Effect.andThen(Effect.sleep(Duration.millis(pause * (0.5 + Math.random())))),
            Effect.andThen(Effect.suspend(() => attempt(Math.min(2 * pause, pauses.longest))))
          )
        )
      return attempt(pauses.first)
    },
    orElse: () => transaction(sql)(self)
  })
