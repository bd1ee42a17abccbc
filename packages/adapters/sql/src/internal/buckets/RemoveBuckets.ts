/**
 * Removes buckets with few files, inside a transaction.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { among, lock, unplannedText } from "../Dialect.ts"
import * as Row from "../Row.ts"

/** The files that one transaction removes. A bucket with more files is removed in steps. */
export const removedAtOnce = 500

/**
 * Returns the number of files in a bucket, at most `limit`. Reads no more rows than that: without the order, PostgreSQL may search
 * the whole table for the first row of a bucket that it takes for large.
 */
export const countFiles = (sql: SqlClient, bucketId: string, limit: number) =>
  Effect.map(
    sql`SELECT 1 AS one FROM file WHERE bucket_id = ${bucketId} ORDER BY path, name LIMIT ${limit}`,
    (rows) => rows.length
  )

/** Marks the mirrors of buckets as removed. */
export const removeMirrors = (sql: SqlClient, bucketIds: ReadonlyArray<string>) =>
  sql`UPDATE mirror SET removed = 1 WHERE removed = 0 AND ${among(sql, "bucket_id", bucketIds)}`

/** Ends the open uploads of buckets. A tenant has a bounded number of them. */
export const abortUploads = Effect.fnUntraced(function* (sql: SqlClient, bucketIds: ReadonlyArray<string>) {
  const ended = yield* sql`UPDATE upload SET state = 'DEAD'
    WHERE state = 'OPEN' AND ${among(sql, "bucket_id", bucketIds)} RETURNING blob_id`.pipe(
    Row.all((row) => Row.text(row, "blob_id"))
  )
  if (ended.length === 0) return
  yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0 WHERE ${among(sql, "id", ended)} AND state = 'PENDING'`
})

/** Returns the number of shares of a bucket, at most `limit`. */
export const countShares = (sql: SqlClient, bucketId: string, limit: number) =>
  Effect.map(
    sql`SELECT 1 AS one FROM share WHERE bucket_id = ${unplannedText(sql, bucketId)} ORDER BY id LIMIT ${limit}`,
    (rows) => rows.length
  )

/**
 * Removes buckets with their files, and dooms the files' blobs. Mirrors are marked as removed first, so that the copies at their targets
 * stay. The statements have the ids of the buckets: with a subquery for them, PostgreSQL would read the shares, uploads and mirrors of all
 * tenants.
 *
 * Locks are taken on the buckets, then on their files, then on the blobs. No file can be inserted into a locked bucket: an
 * upload waits and then fails. The content of a locked file cannot change, so the doomed blobs are complete.
 */
export const removeBuckets = Effect.fnUntraced(function* (
  sql: SqlClient,
  removal: {
    readonly bucketIds: ReadonlyArray<string>
    /** Epoch milliseconds. */
    readonly sweepAt: number
  }
) {
  const { bucketIds, sweepAt } = removal
  const [buckets, inBuckets] = [among(sql, "id", bucketIds), among(sql, "bucket_id", bucketIds)]
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql`SELECT COUNT(*) FROM (SELECT id FROM bucket WHERE ${buckets} ORDER BY id ${lock(sql, "FOR UPDATE")}) AS b`,
        sql`SELECT COUNT(*) FROM (SELECT id FROM file WHERE ${inBuckets} ORDER BY id ${lock(sql, "FOR UPDATE")}) AS f`
      ),
    orElse: () => Effect.void
  })
  yield* removeMirrors(sql, bucketIds)
  yield* abortUploads(sql, bucketIds)
  yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${sweepAt}
    WHERE id IN (SELECT blob_id FROM file WHERE ${inBuckets}) AND state = 'READY'`
  yield* sql`DELETE FROM file WHERE ${inBuckets}`
  yield* sql`DELETE FROM share WHERE ${inBuckets}`
  yield* sql`DELETE FROM bucket WHERE ${buckets}`
})
