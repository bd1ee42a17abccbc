/**
 * Removes buckets with their files, inside a transaction.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { lock } from "../Dialect.ts"

/**
 * Removes the buckets that one condition tells, and the files that another does; their blobs become DOOMED. Mirrors go first, so
 * that the copies stay.
 *
 * Locks go from the bucket to its files to their blobs. A locked bucket takes no new file, so that an upload waits and then
 * fails; a locked file changes its content no more, so that the blobs that are doomed are all there are.
 */
export const removeBuckets = Effect.fnUntraced(function* (
  sql: SqlClient,
  ofBucket: Fragment,
  ofFile: Fragment,
  sweepAt: number
) {
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql`SELECT COUNT(*) FROM (SELECT id FROM bucket WHERE ${ofBucket} ORDER BY id ${lock(sql, "FOR UPDATE")}) AS b`,
        sql`SELECT COUNT(*) FROM (SELECT id FROM file WHERE ${ofFile} ORDER BY id ${lock(sql, "FOR UPDATE")}) AS f`
      ),
    orElse: () => Effect.void
  })
  yield* sql`UPDATE mirror SET removed = 1
    WHERE removed = 0 AND bucket_id IN (SELECT id FROM bucket WHERE ${ofBucket})`
  yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${sweepAt}
    WHERE id IN (SELECT blob_id FROM file WHERE ${ofFile}) AND state = 'READY'`
  yield* sql`DELETE FROM file WHERE ${ofFile}`
  yield* sql`DELETE FROM bucket WHERE ${ofBucket}`
})
