/**
 * Lists the files of a mirror that have a task.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { MirrorFile } from "@holdfast/core/mirrors/Mirror"
import type { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"
import { flag } from "./MirrorRow.ts"
import { inState } from "./TaskState.ts"

const toMirrorFile: Row.FromRow<MirrorFile> = (row) => {
  const isPending = flag(row, "pending")
  const error = isPending ? Row.orNull(Row.text, row, "error") : null
  return {
    fileId: Row.text(row, "file_id"),
    path: Row.orNull(Row.text, row, "path"),
    name: Row.orNull(Row.text, row, "name"),
    state: isPending ? (error === null ? "PENDING" : "FAILED") : "COPIED",
    error,
    attempts: Row.int(row, "attempts"),
    pendingSince: isPending ? Row.instant(row, "wanted_at") : null,
    nextTryAt: isPending ? Row.instant(row, "due_at") : null
  }
}

/**
 * Runs a statement for which PostgreSQL has to use an index in the order of the result. For a mirror without statistics it expects
 * one task, so that it might read all tasks of the mirror in another index, and sort them.
 */
const withoutSort = <A, E, R>(sql: SqlClient, self: Effect.Effect<A, E, R>) =>
  sql.onDialectOrElse({
    pg: () => Effect.andThen(sql`SET LOCAL enable_sort = off`, self).pipe(transaction(sql)),
    orElse: () => self
  })

/**
 * As `MirrorRepository.files`. Path and name are scalar subqueries: for a join, PostgreSQL might read the files of all buckets in
 * the order of their ids.
 */
export const listMirrorFiles = (
  sql: SqlClient,
  { after, limit, mirrorId, state }: Parameters<MirrorRepository["Service"]["files"]>[0]
) => {
  const ofFile = (column: "path" | "name") =>
    sql.literal(`(SELECT f.${column} FROM file f WHERE f.id = page.file_id) AS ${column}`)
  const page = sql`SELECT page.*, ${ofFile("path")}, ${ofFile("name")} FROM (
      SELECT t.file_id, t.attempts, t.error, t.wanted_at, t.due_at, CASE WHEN t.done < t.wanted THEN 1 ELSE 0 END AS pending
      FROM mirror_task t
      WHERE ${state === undefined ? sql`t.mirror_id = ${mirrorId}` : inState(sql, mirrorId, state)}
        AND t.file_id > ${after ?? ""}
      ORDER BY t.file_id LIMIT ${limit}) AS page
    ORDER BY page.file_id`
  return withoutSort(sql, Row.all(toMirrorFile)(page))
}
