/**
 * Runs the migrations that bring a database to the schema of the repositories.
 *
 * Nodes of the former version may use the database meanwhile. Therefore no step holds a lock for long: rows are changed in
 * batches, and indexes are built while the table is written.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { operation, type RowFault } from "../SqlFailure.ts"
import { transaction } from "../Transaction.ts"
import * as Migration from "./Migration.ts"
import { migrations } from "./MigrationList.ts"
import * as SchemaVersion from "./SchemaVersion.ts"
import * as MigrationRecords from "../internal/migrations/MigrationRecords.ts"
import { runStep } from "../internal/migrations/MigrationSteps.ts"
import { analyzeNewTables } from "../internal/migrations/Statistics.ts"
import { withShortLocks } from "../internal/migrations/ShortLocks.ts"
import * as TextEncoding from "../internal/migrations/TextEncoding.ts"

/** A migration that `migrate` has run. */
export interface Migrated {
  readonly id: number
  readonly name: string
}

/**
 * Runs all migrations on an empty database, in one transaction: no process uses the tables yet. Returns whether the database was
 * empty. On PostgreSQL the advisory lock excludes other nodes that start at the same time.
 */
const create = (sql: SqlClient, migrations: ReadonlyArray<Migration.Migration>) =>
  Effect.gen(function* () {
    yield* sql.onDialectOrElse({
      pg: () => sql`SELECT pg_advisory_xact_lock(hashtextextended('holdfast_migration', 0))`,
      orElse: () => Effect.void
    })
    if ((yield* MigrationRecords.findRecorded(sql)).size > 0) return false
    yield* MigrationRecords.createTables(sql)
    for (const migration of migrations) {
      yield* Migration.runAll(migration.steps)
      yield* MigrationRecords.record(sql, migration)
    }
    return true
  }).pipe(transaction(sql))

/** Runs the steps of a migration that have not run yet. Returns whether this node has finished the migration. */
const upgrade = Effect.fnUntraced(function* (sql: SqlClient, migration: Migration.Migration) {
  yield* Effect.logInfo("migration started").pipe(Effect.annotateLogs({ migration: migration.name }))
  for (const index of migration.steps.keys()) yield* runStep(sql, migration, index)
  return yield* withShortLocks(
    sql,
    migration.name,
    Effect.gen(function* () {
      const progress = yield* MigrationRecords.lockProgress(sql, migration)
      if (progress !== undefined) yield* MigrationRecords.record(sql, migration)
      return progress !== undefined
    })
  )
})

/** As `migrate`, with these migrations. */
export const runMissing = Effect.fnUntraced(function* (
  migrations: ReadonlyArray<Migration.Migration>
): Effect.fn.Return<ReadonlyArray<Migrated>, SqlError | RowFault | SchemaVersion.NewerSchema, SqlClient> {
  const sql = yield* SqlClient
  const toMigrated = ({ id, name }: Migration.Migration): Migrated => ({ id, name })
  const recorded = yield* MigrationRecords.findRecorded(sql)
  const state = yield* SchemaVersion.compare(recorded, migrations)
  if (state === "Current") return []
  if (state === "Empty") {
    return (yield* create(sql, migrations)) ? migrations.map(toMigrated) : yield* runMissing(migrations)
  }
  yield* withShortLocks(sql, "progress", MigrationRecords.createTables(sql))
  const finished: Array<Migrated> = []
  for (const migration of migrations.filter(({ id }) => !recorded.has(id))) {
    if (yield* upgrade(sql, migration)) finished.push(toMigrated(migration))
  }
  return finished
})

/**
 * Runs the migrations that the database lacks and returns those that this process finished; an empty list when the schema
 * is current. Then it only reads the list of recorded migrations, and the catalog for tables without statistics. Safe when several processes start at the same time: they
 * take turns, and each returns when the schema is current. An interrupted migration continues with the next call.
 *
 * Fails with `Incompatible` when a newer version has migrated the database, or when the database stores no Unicode. A process that
 * started before continues.
 */
export const migrate: Effect.Effect<ReadonlyArray<Migrated>, MetadataError, SqlClient> = Effect.flatMap(
  SqlClient,
  TextEncoding.check
).pipe(
  Effect.andThen(runMissing(migrations)),
  Effect.tap(() => Effect.flatMap(SqlClient, analyzeNewTables)),
  operation("migrate"),
  Effect.catchTag(["NewerSchema", "WrongEncoding"], SchemaVersion.toIncompatible("migrate"))
)
