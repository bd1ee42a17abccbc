/**
 * What is done for a mirror as a whole, a part at a time: making the bucket's files pending, and clearing away what is left of
 * a mirror that was removed.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { inBucket } from "../../files/FileRow.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../Transaction.ts"
import { lockWriters, skipLocked } from "../MirrorRow.ts"

const toCursor = (row: Row.Row) => ({
  bucket: { tenantId: Row.text(row, "tenant_id"), bucketId: Row.text(row, "bucket_id") },
  path: Row.text(row, "fill_path"),
  name: Row.text(row, "fill_name")
})

const toPlace = (row: Row.Row) => ({ path: Row.text(row, "path"), name: Row.text(row, "name") })

/** By place: a file that is moved past the part that is being filled becomes pending by being moved. */
export const fill = (sql: SqlClient, mirrorId: string, limit: number, at: number) =>
  Effect.gen(function* () {
    const found = yield* sql`SELECT tenant_id, bucket_id, fill_path, fill_name FROM mirror
      WHERE id = ${mirrorId} AND filling = 1 AND removed = 0 ${skipLocked(sql)}`.pipe(Row.first(toCursor))
    if (found._tag === "None") return false
    // A table that has grown since it was last analysed would be read to its end for each part.
    yield* sql.onDialectOrElse({ pg: () => sql`SET LOCAL enable_bitmapscan = off`, orElse: () => Effect.void })
    const { bucket, name, path } = found.value
    const beyond = sql`${inBucket(sql, bucket)} AND (path, name) > (${path}, ${name})`
    const last = yield* sql`SELECT path, name FROM file WHERE ${beyond}
      ORDER BY path, name LIMIT 1 OFFSET ${limit - 1}`.pipe(Row.first(toPlace))
    const until =
      last._tag === "None" ? sql.literal("") : sql` AND (path, name) <= (${last.value.path}, ${last.value.name})`
    yield* sql`INSERT INTO mirror_task (mirror_id, file_id, bytes, wanted, done, wanted_at, due_at, attempts)
      SELECT ${mirrorId}, id, size, 1, 0, CAST(${at} AS bigint), CAST(${at} AS bigint), 0
      FROM (SELECT id, size, blob_id FROM file WHERE ${beyond}${until} ORDER BY path, name LIMIT ${limit * 2}) AS part
      WHERE blob_id IS NOT NULL
      ON CONFLICT (mirror_id, file_id) DO NOTHING`
    yield* last._tag === "None"
      ? sql`UPDATE mirror SET filling = 0 WHERE id = ${mirrorId}`
      : sql`UPDATE mirror SET fill_path = ${last.value.path}, fill_name = ${last.value.name} WHERE id = ${mirrorId}`
    return last._tag === "Some"
  }).pipe(transaction(sql))

/** The last rows go with the mirror itself, behind the writers that may still have seen it. */
export const clear = (sql: SqlClient, mirrorId: string, limit: number) =>
  Effect.gen(function* () {
    const gone = sql`mirror_id = ${mirrorId}`
    const some = (table: "mirror_task" | "mirror_object", column: "file_id" | "name") => {
      const [rows, each] = [sql.literal(table), sql.literal(column)]
      return sql`DELETE FROM ${rows} WHERE ${gone} AND ${each} IN (
        SELECT ${each} FROM ${rows} WHERE ${gone} ORDER BY ${each} LIMIT ${limit} ${skipLocked(sql)}) RETURNING 1 AS one`
    }
    const found = yield* sql`SELECT bucket_id FROM mirror
      WHERE id = ${mirrorId} AND removed = 1 ${skipLocked(sql)}`.pipe(Row.first((row) => Row.text(row, "bucket_id")))
    if (found._tag === "None") return false
    const cleared = (yield* some("mirror_object", "name")).length + (yield* some("mirror_task", "file_id")).length
    if (cleared > 0) return true
    yield* lockWriters(sql, sql`${found.value}`)
    yield* sql`DELETE FROM mirror_object WHERE ${gone}`
    yield* sql`DELETE FROM mirror_task WHERE ${gone}`
    yield* sql`DELETE FROM mirror WHERE id = ${mirrorId}`
    return false
  }).pipe(transaction(sql))
