/**
 * The tables that record which migrations, and which of their steps, have run.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { lock } from "../Dialect.ts"
import * as Row from "../Row.ts"
import type { Migration } from "../../migrations/Migration.ts"

const hasRecords = (sql: SqlClient) =>
  Effect.map(
    sql.onDialectOrElse({
      // Reads the catalog itself: `to_regclass` may return what this session knew before it waited for a lock.
      pg: () => sql`SELECT 1 AS one FROM pg_class WHERE relname = 'holdfast_migration' AND pg_table_is_visible(oid)`,
      orElse: () => sql`SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'holdfast_migration'`
    }),
    (rows) => rows.length > 0
  )

/**
 * Returns the ids of the migrations that have run; empty for an empty database. It waits for no lock of a running backup: on
 * PostgreSQL it conflicts with `ACCESS EXCLUSIVE` only.
 */
export const findRecorded = Effect.fnUntraced(function* (sql: SqlClient) {
  if (!(yield* hasRecords(sql))) return new Set<number>()
  const ids = yield* sql`SELECT migration_id FROM holdfast_migration`.pipe(
    Row.all((row) => Row.int(row, "migration_id"))
  )
  return new Set(ids)
})

/** Creates the tables that are missing. `holdfast_migration` has the columns that the migrator of Effect gave it. */
export const createTables = Effect.fnUntraced(function* (sql: SqlClient) {
  const createdAt = sql.literal(
    sql.onDialectOrElse({
      pg: () => "timestamp with time zone NOT NULL DEFAULT now()",
      orElse: () => "datetime NOT NULL DEFAULT current_timestamp"
    })
  )
  yield* sql`CREATE TABLE IF NOT EXISTS holdfast_migration (
    migration_id integer PRIMARY KEY NOT NULL,
    created_at ${createdAt},
    name text NOT NULL)`
  // A migration that has begun: the number of its finished steps, and where the current step continues.
  yield* sql`CREATE TABLE IF NOT EXISTS holdfast_migration_progress (
    migration_id integer PRIMARY KEY NOT NULL,
    finished_steps integer NOT NULL,
    place text)`
})

export interface Progress {
  readonly finishedSteps: number
  readonly position: string | null
}

const toProgress: Row.FromRow<Progress> = (row) => ({
  finishedSteps: Row.int(row, "finished_steps"),
  position: Row.orNull(Row.text, row, "place")
})

/**
 * Locks the progress of a migration until the transaction ends, so that only one node runs a step. Undefined when the
 * migration has run.
 */
export const lockProgress = Effect.fnUntraced(function* (sql: SqlClient, { id }: Migration) {
  yield* sql`INSERT INTO holdfast_migration_progress (migration_id, finished_steps) VALUES (${id}, 0)
    ON CONFLICT (migration_id) DO NOTHING`
  const [progress] = yield* sql`SELECT finished_steps, place FROM holdfast_migration_progress
    WHERE migration_id = ${id} ${lock(sql, "FOR UPDATE")}`.pipe(Row.all(toProgress))
  // Another node may have finished the migration, and deleted its progress, before this transaction got the lock.
  const recorded = yield* sql`SELECT migration_id FROM holdfast_migration WHERE migration_id = ${id}`
  if (recorded.length === 0) return progress
  yield* deleteProgress(sql, id)
  return undefined
})

const deleteProgress = (sql: SqlClient, id: number) =>
  sql`DELETE FROM holdfast_migration_progress WHERE migration_id = ${id}`

/** Records the progress of a migration whose progress the transaction has locked. */
export const saveProgress = (sql: SqlClient, { id }: Migration, { finishedSteps, position }: Progress) =>
  sql`UPDATE holdfast_migration_progress SET finished_steps = ${finishedSteps}, place = ${position}
    WHERE migration_id = ${id}`

/** Records that a migration has run. */
export const record = (sql: SqlClient, { id, name }: Migration) =>
  Effect.andThen(
    sql`INSERT INTO holdfast_migration (migration_id, name) VALUES (${id}, ${name})`,
    deleteProgress(sql, id)
  )
