/**
 * Counts the claims of a conversion whose worker died, apart from its attempts.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Migration from "../Migration.ts"

const addColumn = Effect.flatMap(
  SqlClient,
  (sql) => sql`ALTER TABLE conversion ADD COLUMN interruptions bigint NOT NULL DEFAULT 0`
)

export const interruptions: ReadonlyArray<Migration.Step> = [Migration.change(addColumn)]
