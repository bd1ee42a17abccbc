/**
 * Posters that workers make of streams that are READY before.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Migration from "../Migration.ts"

/** `poster_due`: from when on a worker may make the poster of a READY conversion; null if none is to be made. */
const addColumn = Effect.flatMap(SqlClient, (sql) => sql`ALTER TABLE conversion ADD COLUMN poster_due bigint`)

export const posters: ReadonlyArray<Migration.Step> = [
  Migration.change(addColumn),
  Migration.index({ name: "conversion_poster", on: "conversion (poster_due, id) WHERE poster_due IS NOT NULL" })
]
