/**
 * The table of the usage counters, its triggers, and the counters of what exists already.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import { usageTriggers } from "../internal/migrations/UsageTriggers.ts"
import { addUncountedFormerly } from "../internal/usage/Drift.ts"
import * as Migration from "./Migration.ts"

const createTable = Effect.gen(function* () {
  const sql = yield* SqlClient

  // `owner_id` is that of a bucket or tenant. An owner uses the sum of its shards. `bytes_allowance` is the part of `bytes_limit`
  // that changes of this shard may use; the allowances of an owner add up to the limit at most. The same for files. Updates of
  // the same row stay within its page (HOT) while the page has free space.
  const options = sql.onDialectOrElse({ pg: () => "WITH (fillfactor = 50)", orElse: () => "WITHOUT ROWID" })
  yield* sql`CREATE TABLE usage (
    owner_id ${textType(sql)} NOT NULL,
    shard bigint NOT NULL,
    files bigint NOT NULL DEFAULT 0,
    content_bytes bigint NOT NULL DEFAULT 0,
    stream_bytes bigint NOT NULL DEFAULT 0,
    reserved_bytes bigint NOT NULL DEFAULT 0,
    files_limit bigint,
    files_allowance bigint,
    bytes_limit bigint,
    bytes_allowance bigint,
    PRIMARY KEY (owner_id, shard)) ${sql.literal(options)}`

  // The bytes that a PENDING blob reserves; null without a limit on bytes.
  yield* sql`ALTER TABLE blob ADD COLUMN reserved bigint`
  yield* usageTriggers
})

/** Buckets per batch. */
const batchSize = 100

/** Counts what existed before the triggers. */
const count = Effect.fnUntraced(function* (after: string | null) {
  const sql = yield* SqlClient
  return yield* addUncountedFormerly(sql, { after: after ?? "", limit: batchSize })
})

export const usage: ReadonlyArray<Migration.Step> = [
  Migration.index({ name: "conversion_bucket", on: "conversion (bucket_id)" }),
  Migration.change(createTable),
  Migration.batches(count)
]
