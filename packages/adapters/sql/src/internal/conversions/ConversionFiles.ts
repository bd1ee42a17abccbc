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

/**
 * Removes the segments of a ladder; their blobs become DOOMED. They are the only files of a copy in directories that are named by lines.
 */
export const dropLadder = Effect.fnUntraced(function* (sql: SqlClient, conversionId: string, sweepAt: number) {
  const segments = sql`conversion_id = ${conversionId} AND blob_id IS NOT NULL AND name LIKE '%p/%'`
  yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${sweepAt} WHERE state = 'READY' AND id IN (
    SELECT blob_id FROM conversion_file WHERE ${segments})`
  yield* sql`DELETE FROM conversion_file WHERE ${segments}`
})

/** The content of a row is gone. */
const isGone = (sql: SqlClient, table: "captions" | "conversion") =>
  sql`NOT EXISTS (SELECT 1 FROM blob WHERE blob.id = ${sql(table)}.blob_id AND blob.state = 'READY')`

/** Removes the captions that were attached to contents that are gone. */
export const dropCaptions = (sql: SqlClient, blobIds: ReadonlyArray<string>) =>
  sql`DELETE FROM captions WHERE ${among(sql, "blob_id", blobIds)} AND ${isGone(sql, "captions")}`

/** Removes the conversions of contents that are gone. No lookup finds their segments, so these may be swept at once. */
export const dropConversions = Effect.fnUntraced(function* (sql: SqlClient, blobIds: ReadonlyArray<string>) {
  // The lock waits for a worker that publishes at the same time, so that `dropFiles` sees its segments.
  const gone = yield* sql`SELECT id FROM conversion WHERE ${among(sql, "blob_id", blobIds)}
    AND ${isGone(sql, "conversion")}
    ${lock(sql, "FOR UPDATE")}`.pipe(Row.all((row) => Row.text(row, "id")))
  if (gone.length === 0) return
  yield* dropFiles(sql, gone, 0)
  yield* sql`DELETE FROM conversion WHERE ${among(sql, "id", gone)}`
})
