/**
 * Counts attached captions among the bytes of streams, those that exist already too.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { captionTriggers } from "../internal/migrations/StreamUsageTriggers.ts"
import { addUncounted } from "../internal/usage/Drift.ts"
import * as Migration from "./Migration.ts"

/** Buckets per batch. */
const batchSize = 100

/** Counts what existed before the triggers. */
const count = Effect.fnUntraced(function* (after: string | null) {
  const sql = yield* SqlClient
  return yield* addUncounted(sql, { after: after ?? "", limit: batchSize })
})

// The columns are those of the order in which a recount reads the captions of a bucket.
export const captionUsage: ReadonlyArray<Migration.Step> = [
  Migration.index({ name: "captions_bucket", on: "captions (bucket_id, blob_id, id)" }),
  Migration.change(captionTriggers),
  Migration.batches(count)
]
