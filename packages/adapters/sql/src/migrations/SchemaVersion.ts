/**
 * Compares the schema of a database with that of this version.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { operation } from "../SqlFailure.ts"
import * as MigrationRecords from "../internal/migrations/MigrationRecords.ts"
import { migrations } from "./MigrationList.ts"

/** The id of the last migration that this version knows. */
export const known: number = Math.max(...migrations.map(({ id }) => id))

/**
 * - `Empty`: the database has no tables of Holdfast.
 * - `Older`: it lacks migrations of this version.
 * - `Current`: it has the migrations that this version knows.
 * - `Newer`: a newer version has changed it.
 */
export type SchemaState = "Empty" | "Older" | "Current" | "Newer"

/** Returns the state of the schema. It changes nothing. */
export const state: Effect.Effect<SchemaState, MetadataError, SqlClient> = Effect.flatMap(
  SqlClient,
  MigrationRecords.findRecorded
).pipe(
  Effect.map((recorded): SchemaState => {
    if (recorded.size === 0) return "Empty"
    if (Math.max(...recorded) > known) return "Newer"
    return migrations.every(({ id }) => recorded.has(id)) ? "Current" : "Older"
  }),
  operation("schemaVersion")
)
