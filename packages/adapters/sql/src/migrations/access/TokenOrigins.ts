/**
 * The origins from which tokens may be used.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  // A JSON array; null for any origin.
  yield* sql`ALTER TABLE api_key ADD COLUMN allowed_origins ${textType(sql)}`
})

export const tokenOrigins: ReadonlyArray<Migration.Step> = [Migration.change(change)]
