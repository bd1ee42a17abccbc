/**
 * The sealed S3 secret of an API token, and when it was created.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const addColumns = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE api_key ADD COLUMN s3_secret ${textType(sql)}`
  yield* sql`ALTER TABLE api_key ADD COLUMN s3_secret_at bigint`
})

export const s3Secrets: ReadonlyArray<Migration.Step> = [Migration.change(addColumns)]
