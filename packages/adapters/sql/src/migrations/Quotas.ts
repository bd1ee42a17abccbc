/**
 * The limits of buckets, the rules for their contents, and the limits of single tenants.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // Null: the bucket has no such rule or limit. `allowed_types` is a JSON array.
  for (const column of ["max_file_bytes", "max_bytes", "max_files"]) {
    yield* sql`ALTER TABLE bucket ADD COLUMN ${sql.literal(column)} bigint`
  }
  yield* sql`ALTER TABLE bucket ADD COLUMN allowed_types ${text}`

  // `limits` is a JSON object with the limits that the operator has set. Those of the settings hold for a tenant without a row.
  yield* sql`CREATE TABLE quota (
    tenant_id ${text} NOT NULL PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
    limits ${text} NOT NULL)`
})

// With these a count reads the rows that count, and no removed bucket, removed mirror, or revoked or expired token.
export const quotas: ReadonlyArray<Migration.Step> = [
  Migration.change(change),
  Migration.index({ name: "bucket_open", on: "bucket (tenant_id) WHERE removed = 0" }),
  Migration.index({ name: "mirror_of_tenant", on: "mirror (tenant_id) WHERE removed = 0" }),
  Migration.index({ name: "token_usable", on: "api_key (tenant_id, expires_at) WHERE revoked_at IS NULL" }),
  Migration.index({ name: "token_of_member_usable", on: "api_key (member_id, expires_at) WHERE revoked_at IS NULL" })
]
