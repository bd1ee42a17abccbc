/**
 * Who may read the contents of buckets.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  // `public`; null for a private bucket.
  yield* sql`ALTER TABLE bucket ADD COLUMN visibility ${textType(sql)}`
})

export const publicBuckets: ReadonlyArray<Migration.Step> = [Migration.change(change)]
