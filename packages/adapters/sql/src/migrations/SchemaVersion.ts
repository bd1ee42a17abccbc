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

const lastOf = (migrations: ReadonlyArray<Migration>): number => Math.max(...migrations.map(({ id }) => id))

/** The id of the last migration that this version knows. */
export const known: number = lastOf(migrations)

/** A newer version of the service has migrated the database. */
export class NewerSchema extends Data.TaggedError("NewerSchema")<{ readonly found: number; readonly known: number }> {
  override get message(): string {
    return `The database has the schema of a newer version of Holdfast: migration ${this.found}, and this version knows migrations up to ${this.known}. Start that version, or restore the backup from before the upgrade.`
  }
}

/**
 * - `Empty`: the database has no tables of Holdfast.
 * - `Older`: it lacks migrations of this version.
 * - `Current`: it has the migrations that this version knows.
 */
export type SchemaState = "Empty" | "Older" | "Current"

/** Returns the state of a schema from the ids of its migrations. Fails when a version that knows more of them has changed it. */
export const compare = (
  recorded: ReadonlySet<number>,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<SchemaState, NewerSchema> => {
  const found = Math.max(...recorded)
  const known = lastOf(migrations)
  if (found > known) return Effect.fail(new NewerSchema({ found, known }))
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
