/**
 * Dooms PENDING blobs whose lease has ended, in batches: after an outage there may be any number of them.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { paced } from "@holdfast/core/workers/Pace"
import { among, millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { unlocked } from "./Unlocked.ts"

/** Rows of a batch: some 10 ms with SQLite, where other writers wait meanwhile. */
const batchSize = 500

const toPending = (row: Row.Row) => ({
  id: Row.text(row, "id"),
  bucketId: Row.text(row, "bucket_id"),
  dueAt: Row.int(row, "due_at")
})

type Pending = ReturnType<typeof toPending>

/**
 * Divides blobs into those that one statement may change. On PostgreSQL these are blobs of one bucket: each row gives its reservation
 * back to the counters of its tenant and bucket, and a statement for several tenants would lock them in no certain order.
 */
const divide = (sql: SqlClient, blobs: ReadonlyArray<Pending>): ReadonlyArray<ReadonlyArray<Pending>> =>
  sql.onDialectOrElse({
    pg: () => [...Map.groupBy(blobs, ({ bucketId }) => bucketId).values()],
    orElse: () => [blobs]
  })

/**
 * As `BlobRepository.expire`. Steps through the index of due blobs, so that each batch reads the rows behind those of the one before.
 * Skips blobs that a concurrent transaction is renewing or committing.
 */
export const expire = Effect.fnUntraced(function* (sql: SqlClient, which: { readonly before: DateTime.Utc } | "all") {
  // Another process may continue an open upload: its bytes are not lost with the process that received the last ones. A partial
  // upload that was joined is open again when the upload that has joined it is aborted.
  const [isInRange, isExpired] =
    which === "all"
      ? [sql`due_at >= 0`, sql`NOT EXISTS (SELECT 1 FROM upload WHERE upload.blob_id = blob.id)`]
      : [sql`due_at < ${millis(which.before)}`, sql`due_at < ${millis(which.before)}`]

  const expireBatch = Effect.fnUntraced(function* (after: Pending | undefined) {
    const blobs = yield* sql`SELECT id, bucket_id, due_at FROM blob
      WHERE state = 'PENDING' AND ${isInRange} AND (due_at, id) > (${after?.dueAt ?? -1}, ${after?.id ?? ""})
      ORDER BY due_at, id LIMIT ${batchSize}`.pipe(Row.all(toPending))
    let count = 0
    for (const part of blobs.length === 0 ? [] : divide(sql, blobs)) {
      const ids = part.map(({ id }) => id)
      const condition = sql`${among(sql, "id", ids)} AND state = 'PENDING' AND ${isExpired}`
      const expired = yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0
        WHERE ${unlocked(sql, "FOR UPDATE", condition)} RETURNING id`
      count += expired.length
    }
    return { count, last: blobs.length < batchSize ? undefined : blobs.at(-1) }
  })

  let total = 0
  let after: Pending | undefined
  do {
    const { count, last }: { readonly count: number; readonly last: Pending | undefined } = yield* paced(
      expireBatch(after)
    )
    total += count
    after = last
  } while (after !== undefined)
  return total
})
