/**
 * Marks for removed buckets and tenants, and the table of removals that delete their rows in steps.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // No operation finds a row with `removed` = 1. It stays while other rows refer to it.
  yield* sql`ALTER TABLE bucket ADD COLUMN removed bigint NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE tenant ADD COLUMN removed bigint NOT NULL DEFAULT 0`

  // `id` is that of the bucket or tenant. From `due_at` on a worker may claim the removal; while it is leased, `due_at` is the end
  // of the lease. The files up to (`path`, `name`) are deleted: PostgreSQL keeps the index entries of deleted rows while an older
  // snapshot is open, and a scan from the start would read them again in each step.
  yield* sql`CREATE TABLE removal (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    kind ${text} NOT NULL CHECK (kind IN ('BUCKET', 'TENANT')),
    sweep_at bigint NOT NULL,
    due_at bigint NOT NULL,
    lease ${text},
    path ${text} NOT NULL,
    name ${text} NOT NULL,
    deleted bigint NOT NULL)`
  yield* sql`CREATE INDEX removal_due ON removal (due_at, id)`
})

export const removals: ReadonlyArray<Migration.Step> = [Migration.change(createTables)]
