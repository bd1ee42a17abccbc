/**
 * The condition that the time of a row has come.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** More than any lease or pause, in milliseconds: an endpoint may ask for 24 hours. */
export const farthest = 172_800_000

/**
 * A time that is farther ahead than a right clock sets has come, too: without that, a process whose clock was years ahead would stop the
 * work on the row for years. `now` is in epoch milliseconds.
 */
export const hasCome = (sql: SqlClient, column: string, now: number): Fragment =>
  sql`(${sql.literal(column)} <= ${now} OR ${sql.literal(column)} > ${now + farthest})`
