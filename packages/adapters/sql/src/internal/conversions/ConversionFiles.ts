/**
 * Removes the files of conversions and their blobs. Each function runs in a transaction of its caller.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { among, lock } from "../Dialect.ts"
import * as Row from "../Row.ts"

/** Removes the files of conversions; the segments' blobs become DOOMED. */
export const dropFiles = Effect.fnUntraced(function* (
  sql: SqlClient,
  conversionIds: ReadonlyArray<string>,
  sweepAt: number
) {
  yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${sweepAt} WHERE state = 'READY' AND id IN (
    SELECT blob_id FROM conversion_file WHERE ${among(sql, "conversion_id", conversionIds)} AND blob_id IS NOT NULL)`
  yield* sql`DELETE FROM conversion_file WHERE ${among(sql, "conversion_id", conversionIds)}`
})

/** Removes the conversions of contents that are gone. No lookup finds their segments, so these may be swept at once. */
export const dropConversions = Effect.fnUntraced(function* (sql: SqlClient, blobIds: ReadonlyArray<string>) {
  // The lock waits for a worker that publishes at the same time, so that `dropFiles` sees its segments.
  const gone = yield* sql`SELECT id FROM conversion WHERE ${among(sql, "blob_id", blobIds)}
    AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.id = conversion.blob_id AND blob.state = 'READY')
    ${lock(sql, "FOR UPDATE")}`.pipe(Row.all((row) => Row.text(row, "id")))
  if (gone.length === 0) return
  yield* dropFiles(sql, gone, 0)
  yield* sql`DELETE FROM conversion WHERE ${among(sql, "id", gone)}`
})
