/**
 * The scopes of tokens.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  // A JSON object; null for a token with all permissions of its member, and for an account key.
  yield* sql`ALTER TABLE api_key ADD COLUMN scope ${textType(sql)}`
})

export const tokenScopes: ReadonlyArray<Migration.Step> = [Migration.change(change)]
