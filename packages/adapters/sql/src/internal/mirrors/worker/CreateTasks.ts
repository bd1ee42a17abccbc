/**
 * Creates tasks for the files that a bucket has when it gets a mirror, in batches.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { inBucket } from "../../files/FileRow.ts"
import { skipLocked } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../../Transaction.ts"

const toCursor = (row: Row.Row) => ({
  bucket: { tenantId: Row.text(row, "tenant_id"), bucketId: Row.text(row, "bucket_id") },
  path: Row.text(row, "fill_path"),
  name: Row.text(row, "fill_name")
})

const toPathAndName = (row: Row.Row) => ({ path: Row.text(row, "path"), name: Row.text(row, "name") })

/**
 * Creates tasks for the next files of the bucket, ordered by path and name. A file that is moved to a place before the cursor
 * becomes pending by the move.
 */
export const createTasks = (
  sql: SqlClient,
  { limit, mirrorId, now }: { readonly mirrorId: string; readonly limit: number; readonly now: number }
) =>
  Effect.gen(function* () {
    const found = yield* sql`SELECT tenant_id, bucket_id, fill_path, fill_name FROM mirror
      WHERE id = ${mirrorId} AND filling <> 0 AND removed = 0 ${skipLocked(sql)}`.pipe(Row.first(toCursor))
    if (found._tag === "None") return false
    // With a bitmap scan, PostgreSQL would read a table that has grown since it was last analysed to its end for each batch.
    yield* sql.onDialectOrElse({ pg: () => sql`SET LOCAL enable_bitmapscan = off`, orElse: () => Effect.void })
    const { bucket, name, path } = found.value
    const isBeyond = sql`${inBucket(sql, bucket)} AND (path, name) > (${path}, ${name})`
    const last = yield* sql`SELECT path, name FROM file WHERE ${isBeyond}
      ORDER BY path, name LIMIT 1 OFFSET ${limit - 1}`.pipe(Row.first(toPathAndName))
    // Outside of the subquery: as a condition of the index, PostgreSQL would read the folder of the last file to its end. Files
    // that were created since the cursor was read take more than `limit` rows.
    const isUntil =
      last._tag === "None" ? sql.literal("") : sql` AND (path, name) <= (${last.value.path}, ${last.value.name})`
    yield* sql`INSERT INTO mirror_task (mirror_id, file_id, bytes, wanted, done, wanted_at, due_at, attempts)
      SELECT ${mirrorId}, id, size, 1, 0, CAST(${now} AS bigint), CAST(${now} AS bigint), 0
      FROM (SELECT id, size, blob_id, path, name FROM file WHERE ${isBeyond} ORDER BY path, name LIMIT ${limit * 2}) AS part
      WHERE blob_id IS NOT NULL${isUntil}
      ON CONFLICT (mirror_id, file_id) DO NOTHING`
    yield* last._tag === "None"
      ? sql`UPDATE mirror SET filling = 0 WHERE id = ${mirrorId}`
      : sql`UPDATE mirror SET fill_path = ${last.value.path}, fill_name = ${last.value.name} WHERE id = ${mirrorId}`
    return last._tag === "Some"
  }).pipe(transaction(sql))
