/**
 * Conversions of one content that share their files.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

/** `shares_id`: the conversion whose files are those of this one, too; null for one with files of its own. */
const addColumn = Effect.flatMap(SqlClient, (sql) => sql`ALTER TABLE conversion ADD COLUMN shares_id ${textType(sql)}`)

export const sharedFiles: ReadonlyArray<Migration.Step> = [
  Migration.change(addColumn),
  Migration.index({ name: "conversion_shares", on: "conversion (shares_id) WHERE shares_id IS NOT NULL" })
]
