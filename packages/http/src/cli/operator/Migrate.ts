/**
 * The database's schema, on the operator's side.
 */
import { migrate } from "@holdfast/sql/migrations/Migrate"
import * as Effect from "effect/Effect"
import * as Metadata from "../../server/Metadata.ts"
import * as Output from "../Output.ts"

/** Opening runs what is missing; asking once more tells that nothing is. */
export const run = (places: Metadata.Places) =>
  migrate.pipe(
    Effect.andThen(Output.line("The database has the schema of this version.")),
    Effect.provide(Metadata.layer(places))
  )
