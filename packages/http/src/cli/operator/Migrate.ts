/**
 * The database's schema, on the operator's side.
 */
import { migrate } from "@holdfast/sql/migrations/Migrate"
import * as Effect from "effect/Effect"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as Output from "../Output.ts"

/** Runs the migrations that are missing, and names them. */
export const run = (places: MetadataLayer.MetadataSettings) =>
  Effect.gen(function* () {
    const ran = yield* migrate
    yield* Effect.forEach(ran, ({ id, name }) => Output.writeLine(`Migrated: ${id} ${name}`), { discard: true })
    if (ran.length === 0) yield* Output.writeLine("The database is up to date.")
  }).pipe(Effect.provide(MetadataLayer.layerSqlClient(places)))
