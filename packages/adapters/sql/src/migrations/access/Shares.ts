/**
 * Shares, and what those of a bucket may be.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // `hash` is the SHA-256 of the token. A share has a file or a folder (`path`). `may` is a JSON array of actions. `attempts` counts
  // passwords that were tried since `attempts_since`.
  yield* sql`CREATE TABLE share (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL REFERENCES bucket (id) ON DELETE CASCADE,
    hash ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    file_id ${text},
    path ${text},
    may ${text} NOT NULL,
    expires_at bigint,
    password ${text},
    attempts bigint NOT NULL DEFAULT 0,
    attempts_since bigint NOT NULL DEFAULT 0,
    max_downloads bigint,
    downloads bigint NOT NULL DEFAULT 0,
    max_files bigint,
    max_bytes bigint,
    uploaded_files bigint NOT NULL DEFAULT 0,
    uploaded_bytes bigint NOT NULL DEFAULT 0,
    created_by ${text},
    created_with ${text},
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL)`
  yield* sql`CREATE INDEX share_bucket ON share (bucket_id, id)`
  yield* sql`CREATE INDEX share_expiry ON share (tenant_id, expires_at)`
  yield* sql`CREATE INDEX share_creator ON share (tenant_id, created_by, id)`

  // A JSON object; null for the default rules.
  yield* sql`ALTER TABLE bucket ADD COLUMN share_rules ${text}`
})

export const shares: ReadonlyArray<Migration.Step> = [Migration.change(change)]
