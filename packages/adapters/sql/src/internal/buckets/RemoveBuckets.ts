/**
 * Removes buckets with few files, inside a transaction.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { among, lock } from "../Dialect.ts"
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

/** Ends the open uploads of the selected buckets. A tenant has a bounded number of them. */
export const abortUploads = Effect.fnUntraced(function* (sql: SqlClient, buckets: Fragment) {
  const ended = yield* sql`UPDATE upload SET state = 'DEAD'
    WHERE state = 'OPEN' AND bucket_id IN (SELECT id FROM bucket WHERE ${buckets}) RETURNING blob_id`.pipe(
    Row.all((row) => Row.text(row, "blob_id"))
  )
  if (ended.length === 0) return
  yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0 WHERE ${among(sql, "id", ended)} AND state = 'PENDING'`
})

/** Whether a bucket has more shares than one transaction removes. */
export const hasManyShares = (sql: SqlClient, bucketId: string) =>
  Effect.map(
    sql`SELECT 1 AS one FROM share WHERE bucket_id = ${bucketId} ORDER BY id LIMIT ${removedAtOnce + 1}`,
    (rows) => rows.length > removedAtOnce
  )

/**
 * Removes the buckets and files that two conditions select, and dooms the files' blobs. Mirrors are marked as removed
 * first, so that the copies at their targets stay.
 *
 * Locks are taken on the buckets, then on their files, then on the blobs. No file can be inserted into a locked bucket: an
 * upload waits and then fails. The content of a locked file cannot change, so the doomed blobs are complete.
 */
export const removeBuckets = Effect.fnUntraced(function* (
  sql: SqlClient,
  removal: {
    /** Selects rows of `bucket`. */
    readonly buckets: Fragment
    /** Selects the rows of `file` in these buckets. */
    readonly files: Fragment
    /** Epoch milliseconds. */
    readonly sweepAt: number
  }
) {
  const { buckets, files, sweepAt } = removal
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql`SELECT COUNT(*) FROM (SELECT id FROM bucket WHERE ${buckets} ORDER BY id ${lock(sql, "FOR UPDATE")}) AS b`,
        sql`SELECT COUNT(*) FROM (SELECT id FROM file WHERE ${files} ORDER BY id ${lock(sql, "FOR UPDATE")}) AS f`
      ),
    orElse: () => Effect.void
  })
  yield* sql`UPDATE mirror SET removed = 1
    WHERE removed = 0 AND bucket_id IN (SELECT id FROM bucket WHERE ${buckets})`
  yield* abortUploads(sql, buckets)
  yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${sweepAt}
    WHERE id IN (SELECT blob_id FROM file WHERE ${files}) AND state = 'READY'`
  yield* sql`DELETE FROM file WHERE ${files}`
  yield* sql`DELETE FROM share WHERE bucket_id IN (SELECT id FROM bucket WHERE ${buckets})`
  yield* sql`DELETE FROM bucket WHERE ${buckets}`
})
