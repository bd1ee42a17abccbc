/**
 * Posters that callers set for contents.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import { posterTriggers } from "../internal/migrations/StreamUsageTriggers.ts"
import * as Migration from "./Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // A poster belongs to a content, identified by `blob_id`, as conversions do. `at_millis` is the time in the video, `image` a JPEG as
  // Base64, and `due_at` says from when on a worker may make the picture.
  yield* sql`CREATE TABLE poster (
    blob_id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL,
    file_id ${text} NOT NULL,
    at_millis bigint,
    image ${text},
    due_at bigint,
    updated_at bigint NOT NULL)`
  yield* sql`CREATE INDEX poster_due ON poster (due_at, blob_id) WHERE due_at IS NOT NULL`
  // The order in which a recount reads the posters of a bucket.
  yield* sql`CREATE INDEX poster_bucket ON poster (bucket_id, blob_id)`
  yield* posterTriggers
})

export const contentPosters: ReadonlyArray<Migration.Step> = [Migration.change(change)]
