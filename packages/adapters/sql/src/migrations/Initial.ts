/**
 * The first schema. Ids are text, times are epoch milliseconds, JSON is text. On PostgreSQL every text column is compared by
 * code point (`COLLATE "C"`), whatever the locale of the database is.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"

export const initial = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  yield* sql`CREATE TABLE account (
    id ${text} NOT NULL PRIMARY KEY,
    email ${text} NOT NULL,
    email_key ${text} NOT NULL)`
  yield* sql`CREATE UNIQUE INDEX account_email ON account (email_key)`

  yield* sql`CREATE TABLE tenant (
    id ${text} NOT NULL PRIMARY KEY,
    name ${text} NOT NULL,
    subdomain ${text} NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL)`
  yield* sql`CREATE UNIQUE INDEX tenant_subdomain ON tenant (subdomain)`

  yield* sql`CREATE TABLE member (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
    account_id ${text} NOT NULL REFERENCES account (id),
    role ${text} NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (tenant_id, id))`
  yield* sql`CREATE UNIQUE INDEX member_account ON member (tenant_id, account_id)`
  yield* sql`CREATE INDEX member_by_account ON member (account_id, tenant_id)`

  // API tokens and account keys: a token has a member and a tenant, an account key has neither.
  yield* sql`CREATE TABLE api_key (
    id ${text} NOT NULL PRIMARY KEY,
    hash ${text} NOT NULL,
    prefix ${text} NOT NULL,
    name ${text} NOT NULL,
    account_id ${text} NOT NULL REFERENCES account (id),
    tenant_id ${text},
    member_id ${text},
    expires_at bigint,
    created_at bigint NOT NULL,
    last_used_at bigint,
    revoked_at bigint,
    CHECK ((tenant_id IS NULL) = (member_id IS NULL)),
    FOREIGN KEY (tenant_id, member_id) REFERENCES member (tenant_id, id) ON DELETE CASCADE)`
  yield* sql`CREATE UNIQUE INDEX api_key_hash ON api_key (hash)`
  yield* sql`CREATE INDEX api_key_of_tenant ON api_key (tenant_id, id)`
  yield* sql`CREATE INDEX api_key_of_member ON api_key (member_id)`
  yield* sql`CREATE INDEX api_key_of_account ON api_key (id) WHERE member_id IS NULL`

  yield* sql`CREATE TABLE bucket (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL REFERENCES tenant (id),
    name ${text} NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (tenant_id, id))`
  yield* sql`CREATE UNIQUE INDEX bucket_name ON bucket (tenant_id, name)`

  // The content's columns are in the row of its file, so that a read is one statement on one table.
  yield* sql`CREATE TABLE file (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL,
    path ${text} NOT NULL,
    name ${text} NOT NULL,
    alias ${text},
    version bigint NOT NULL,
    metadata ${text} NOT NULL,
    headers ${text} NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    blob_id ${text},
    previous_blob_id ${text},
    size bigint,
    sha256 ${text},
    etag ${text},
    content_type ${text},
    type ${text},
    stored_at bigint,
    FOREIGN KEY (tenant_id, bucket_id) REFERENCES bucket (tenant_id, id))`
  yield* sql`CREATE UNIQUE INDEX file_place ON file (bucket_id, path, name)`
  yield* sql`CREATE UNIQUE INDEX file_alias ON file (bucket_id, alias) WHERE alias IS NOT NULL`

  // Blobs outlive their bucket until they are swept, so that the table has no foreign keys. `due_at` is the end of a
  // PENDING blob's lease, or when a DOOMED blob may be swept.
  yield* sql`CREATE TABLE blob (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL,
    state ${text} NOT NULL CHECK (state IN ('PENDING', 'READY', 'DOOMED')),
    due_at bigint,
    size bigint,
    sha256 ${text},
    file_id ${text},
    created_at bigint NOT NULL,
    CHECK ((state = 'READY') = (due_at IS NULL)))`
  yield* sql`CREATE INDEX blob_due ON blob (state, due_at, id) WHERE due_at IS NOT NULL`
})
