/**
 * Deletes the rows of a removed mirror, in batches.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Row from "../../Row.ts"
import { transaction } from "../../../Transaction.ts"
import { lockWriters, skipLocked } from "../MirrorRow.ts"

/**
 * Deletes at most `limit` rows of each table. The last rows are deleted together with the mirror, after the transactions of writers that may
 * still have seen the mirror have ended.
 */
export const clearRemovedMirror = (
  sql: SqlClient,
  { limit, mirrorId }: { readonly mirrorId: string; readonly limit: number }
) =>
  Effect.gen(function* () {
    const isOfMirror = sql`mirror_id = ${mirrorId}`
    const deleteSome = (table: "mirror_task" | "mirror_object", column: "file_id" | "name") => {
      const [rows, key] = [sql.literal(table), sql.literal(column)]
      return sql`DELETE FROM ${rows} WHERE ${isOfMirror} AND ${key} IN (
        SELECT ${key} FROM ${rows} WHERE ${isOfMirror} ORDER BY ${key} LIMIT ${limit} ${skipLocked(sql)})
        RETURNING 1 AS one`
    }
    const found = yield* sql`SELECT bucket_id FROM mirror
      WHERE id = ${mirrorId} AND removed = 1 ${skipLocked(sql)}`.pipe(Row.first((row) => Row.text(row, "bucket_id")))
    if (found._tag === "None") return false
    const objects = yield* deleteSome("mirror_object", "name")
    const tasks = yield* deleteSome("mirror_task", "file_id")
    if (objects.length + tasks.length > 0) return true
    yield* lockWriters(sql, sql`${found.value}`)
    yield* sql`DELETE FROM mirror_object WHERE ${isOfMirror}`
    yield* sql`DELETE FROM mirror_task WHERE ${isOfMirror}`
    yield* sql`DELETE FROM mirror WHERE id = ${mirrorId}`
    return false
  }).pipe(transaction(sql))
