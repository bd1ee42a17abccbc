/**
 * Deletes the rows of a removed mirror, in batches.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { skipLocked } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../../Transaction.ts"
import { lockWriters } from "../MirrorRow.ts"

const toCursor = (row: Row.Row) => ({
  bucketId: Row.text(row, "bucket_id"),
  name: Row.orNull(Row.text, row, "cleared_name") ?? "",
  fileId: Row.orNull(Row.text, row, "cleared_file") ?? ""
})

/**
 * Deletes at most `limit` rows of each table. The position is stored: PostgreSQL would read the rows that were deleted before,
 * until they are vacuumed. Rows that another transaction has locked are skipped, and deleted at the end with those that were
 * added meanwhile: together with the mirror, after the transactions of writers that may still have seen the mirror have ended.
 */
export const clearRemovedMirror = (
  sql: SqlClient,
  { limit, mirrorId }: { readonly mirrorId: string; readonly limit: number }
) =>
  Effect.gen(function* () {
    const isOfMirror = sql`mirror_id = ${mirrorId}`
    /** Deletes the next rows. Returns the key of the last one; undefined when there are no further ones. */
    const deleteSome = Effect.fnUntraced(function* (
      table: "mirror_task" | "mirror_object",
      column: "file_id" | "name",
      after: string
    ) {
      const [rows, key] = [sql.literal(table), sql.literal(column)]
      const isBeyond = sql`${isOfMirror} AND ${key} > ${after}`
      const [last] = yield* sql`SELECT ${key} AS last FROM ${rows} WHERE ${isBeyond}
        ORDER BY ${key} LIMIT 1 OFFSET ${limit - 1}`.pipe(Row.all((row) => Row.text(row, "last")))
      const until = last === undefined ? sql.literal("") : sql`AND ${key} <= ${last}`
      yield* sql`DELETE FROM ${rows} WHERE ${isBeyond} ${until} AND ${key} IN (
        SELECT ${key} FROM ${rows} WHERE ${isBeyond} ${until} ORDER BY ${key} ${skipLocked(sql)})`
      return last
    })
    const [found] = yield* sql`SELECT bucket_id, cleared_name, cleared_file FROM mirror
      WHERE id = ${mirrorId} AND removed = 1 ${skipLocked(sql)}`.pipe(Row.all(toCursor))
    if (found === undefined) return false
    const name = yield* deleteSome("mirror_object", "name", found.name)
    const fileId = yield* deleteSome("mirror_task", "file_id", found.fileId)
    if (name !== undefined || fileId !== undefined) {
      yield* sql`UPDATE mirror SET cleared_name = ${name ?? found.name}, cleared_file = ${fileId ?? found.fileId}
        WHERE id = ${mirrorId}`
      return true
    }
    yield* lockWriters(sql, sql`${found.bucketId}`)
    yield* sql`DELETE FROM mirror_object WHERE ${isOfMirror}`
    yield* sql`DELETE FROM mirror_task WHERE ${isOfMirror}`
    yield* sql`DELETE FROM mirror WHERE id = ${mirrorId}`
    return false
  }).pipe(transaction(sql))
