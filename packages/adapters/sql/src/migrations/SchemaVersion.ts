/**
 * Compares the schema of a database with that of this version.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { MetadataError } from "@holdfast/core/MetadataError"
import { operation } from "../SqlFailure.ts"
import * as MigrationRecords from "../internal/migrations/MigrationRecords.ts"
import type { Migration } from "./Migration.ts"
import { migrations } from "./MigrationList.ts"

/** The highest id of the migrations that this version knows. */
export const known: number = Math.max(...migrations.map(({ id }) => id))

/** A newer version of the service has migrated the database. */
export class NewerSchema extends Data.TaggedError("NewerSchema")<{ readonly found: number }> {
  override get message(): string {
    return `The database has the schema of a newer version of Holdfast: migration ${this.found}, which this version does not know. Start the newer version, or restore the backup from before the upgrade.`
  }
}

/**
 * - `Empty`: the database has no tables of Holdfast.
 * - `Older`: it lacks migrations of this version.
 * - `Current`: it has the migrations that this version knows.
 */
export type SchemaState = "Empty" | "Older" | "Current"

/**
 * Returns the highest id of the migrations of a schema that this version does not know; undefined when it knows all. An id only names a
 * migration: that of a newer version may be lower than others that this version knows.
 */
export const findUnknown = (
  recorded: ReadonlySet<number>,
  known: ReadonlyArray<Migration> = migrations
): number | undefined => {
  const unknown = new Set(recorded)
  for (const { id } of known) unknown.delete(id)
  return unknown.size === 0 ? undefined : Math.max(...unknown)
}

/**
 * Returns the state of a schema from the ids of its migrations. Fails when it has a migration that is not in `migrations`.
 */
export const compare = (
  recorded: ReadonlySet<number>,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<SchemaState, NewerSchema> => {
  const found = findUnknown(recorded, migrations)
  if (found !== undefined) return Effect.fail(new NewerSchema({ found }))
  if (recorded.size === 0) return Effect.succeed("Empty")
  return Effect.succeed(migrations.every(({ id }) => recorded.has(id)) ? "Current" : "Older")
}

/** Converts the failure of a check of the database, such as `compare`, to that of a repository. */
export const toIncompatible =
  (operation: string) =>
  (cause: Error): Effect.Effect<never, MetadataError> =>
    Effect.fail(new MetadataError({ reason: "Incompatible", operation, cause }))

/** Returns the state of the schema. It changes nothing. Fails with `Incompatible` when a newer version has changed it. */
export const state: Effect.Effect<SchemaState, MetadataError, SqlClient> = Effect.flatMap(
  SqlClient,
  MigrationRecords.findRecorded
).pipe(
  Effect.flatMap((recorded) => compare(recorded, migrations)),
  operation("schemaVersion"),
  Effect.catchTag("NewerSchema", toIncompatible("schemaVersion"))
)
