/**
 * Runs the migrations that bring a database to the schema of the repositories.
 */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, SqlError, UnknownError } from "effect/sql/SqlError"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { operation } from "../SqlFailure.ts"
import { conversions } from "./Conversions.ts"
import { initial } from "./Initial.ts"
import { mirrorTimes } from "./MirrorTimes.ts"
import { mirrors } from "./Mirrors.ts"

/** A migration that `migrate` has run. */
export interface Migrated {
  readonly id: number
  readonly name: string
}

/** Every migration, by number. A released migration never changes. */
const migrations = Migrator.fromRecord({
  "0001_initial": initial,
  "0002_conversions": conversions,
  "0003_mirrors": mirrors,
  "0004_mirror_times": mirrorTimes
})

const failed = (error: Migrator.MigrationError): SqlError =>
  isSqlError(error.cause)
    ? error.cause
    : new SqlError({ reason: new UnknownError({ cause: error, message: error.message, operation: "migrate" }) })

/**
 * Runs the migrations that the database lacks, all in one transaction, and returns them; an empty list when the schema is
 * current. Safe when several processes start at the same time: one process runs the migrations while the others wait.
 */
export const migrate: Effect.Effect<ReadonlyArray<Migrated>, MetadataError, SqlClient> = Migrator.make({})({
  loader: migrations,
  table: "holdfast_migration"
}).pipe(
  Effect.map((ran) => ran.map(([id, name]) => ({ id, name }))),
  Effect.catchTag("MigrationError", (error) => Effect.fail(failed(error))),
  operation("migrate")
)
