/**
 * The rules for the contents of a bucket.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient

  // Null: the bucket has no such rule. `allowed_types` is a JSON array.
  yield* sql`ALTER TABLE bucket ADD COLUMN max_file_bytes bigint`
  yield* sql`ALTER TABLE bucket ADD COLUMN allowed_types ${textType(sql)}`
})

export const quotas: ReadonlyArray<Migration.Step> = [Migration.change(change)]
