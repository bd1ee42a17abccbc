/**
 * `holdfast migrate`: migrates the schema of the database.
 */
import { migrate } from "@holdfast/sql/migrations/Migrate"
import * as Effect from "effect/Effect"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as Output from "../terminal/Output.ts"

/** Runs the migrations that the database lacks and prints their names. */
export const run = (settings: MetadataLayer.MetadataSettings) =>
  Effect.gen(function* () {
    const migrations = yield* migrate
    yield* Effect.forEach(migrations, ({ id, name }) => Output.writeLine(`Migrated: ${id} ${name}`), { discard: true })
    if (migrations.length === 0) yield* Output.writeLine("The database is up to date.")
  }).pipe(Effect.provide(MetadataLayer.layerSqlClient(settings)))
