/**
 * Creates tasks for the files that a bucket has when it gets a mirror, in batches.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
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
    const part = sql`SELECT id, size, blob_id, path, name FROM file WHERE ${isBeyond} ORDER BY path, name LIMIT ${limit}`
    const insertFrom = (files: Fragment) => sql`INSERT INTO mirror_task
        (mirror_id, file_id, bytes, wanted, done, wanted_at, due_at, attempts)
      SELECT ${mirrorId}, id, size, 1, 0, CAST(${now} AS bigint), CAST(${now} AS bigint), 0
      FROM ${files} WHERE blob_id IS NOT NULL
      ON CONFLICT (mirror_id, file_id) DO NOTHING`
    const lastOf = (files: Fragment) =>
      sql`SELECT path, name FROM ${files} ORDER BY path, name LIMIT 1 OFFSET ${limit - 1}`
    const last = yield* sql
      .onDialectOrElse({
        // One statement, which sees one state of the bucket: the cursor would pass files if others were created or removed between
        // two statements.
        pg: () => sql`WITH part AS MATERIALIZED (${part}), created AS (${insertFrom(sql`part`)}) ${lastOf(sql`part`)}`,
        orElse: () => Effect.andThen(insertFrom(sql`(${part}) AS part`), lastOf(sql`(${part}) AS part`))
      })
      .pipe(Row.first(toPathAndName))
    yield* last._tag === "None"
      ? sql`UPDATE mirror SET filling = 0 WHERE id = ${mirrorId}`
      : sql`UPDATE mirror SET fill_path = ${last.value.path}, fill_name = ${last.value.name} WHERE id = ${mirrorId}`
    return last._tag === "Some"
  }).pipe(transaction(sql))
