/**
 * Records who created tokens and mirrors, and which members are only invited.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // The creator as records show it: a member's id, and the id of the token that it presented. There are no foreign keys,
  // because both may be removed while the record stays.
  for (const table of [sql.literal("api_key"), sql.literal("mirror")]) {
    yield* sql`ALTER TABLE ${table} ADD COLUMN created_by ${text}`
    yield* sql`ALTER TABLE ${table} ADD COLUMN created_with ${text}`
  }

  // All members who answer for a token of another member, or for a mirror: its creator, and those who answer for the token
  // that the creator presented. Rows of removed or revoked resources stay until the member goes.
  yield* sql`CREATE TABLE creation (
    tenant_id ${text} NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
    member_id ${text} NOT NULL,
    resource_id ${text} NOT NULL,
    PRIMARY KEY (tenant_id, member_id, resource_id))`
  yield* sql`CREATE INDEX creation_of_resource ON creation (resource_id, member_id)`

  // Of a member who has not accepted yet: the e-mail of the invitation, folded as in account.email_key. Such a member refers
  // to an account of its own, so that the membership shows nothing of an account that has the e-mail.
  yield* sql`ALTER TABLE member ADD COLUMN invited_email_key ${text}`
})

export const creators: ReadonlyArray<Migration.Step> = [
  Migration.change(change),
  Migration.index({
    name: "member_invitation",
    isUnique: true,
    on: "member (invited_email_key, tenant_id) WHERE invited_email_key IS NOT NULL"
  })
]
