/**
 * The database's schema, on the operator's side.
 */
import { migrate } from "@holdfast/sql/migrations/Migrate"
import * as Effect from "effect/Effect"
import * as Metadata from "../../server/compose/Metadata.ts"
import * as Output from "../Output.ts"

/** Runs the migrations that are missing, and names them. */
export const run = (places: Metadata.Places) =>
  Effect.gen(function* () {
    const ran = yield* migrate
    yield* Effect.forEach(ran, ({ id, name }) => Output.line(`Migrated: ${id} ${name}`), { discard: true })
    if (ran.length === 0) yield* Output.line("The database is up to date.")
  }).pipe(Effect.provide(Metadata.client(places)))
