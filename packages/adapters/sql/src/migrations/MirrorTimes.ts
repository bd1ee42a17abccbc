/**
 * Moves the time of an object's last change, which tags of S3 had after an `@`, into a column of its own.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { position } from "../Dialect.ts"

export const mirrorTimes = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE mirror_object ADD COLUMN last_modified bigint`
  const at = sql`${position(sql)}(tag, '@')`
  yield* sql`UPDATE mirror_object SET tag = substr(tag, 1, ${at} - 1),
      last_modified = CAST(NULLIF(substr(tag, ${at} + 1), '') AS bigint)
    WHERE ${at} > 0`
})
