/**
 * Lists the files of a mirror that have a task.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { MirrorFile } from "@holdfast/core/mirrors/Mirror"
import type { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import * as Row from "../Row.ts"
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

/** As `MirrorRepository.files`. */
export const listMirrorFiles = (
  sql: SqlClient,
  { after, limit, mirrorId, state }: Parameters<MirrorRepository["Service"]["files"]>[0]
) =>
  sql`SELECT t.file_id, t.attempts, t.error, t.wanted_at, t.due_at, f.path, f.name,
      CASE WHEN t.done < t.wanted THEN 1 ELSE 0 END AS pending
    FROM mirror_task t LEFT JOIN file f ON f.id = t.file_id
    WHERE ${state === undefined ? sql`t.mirror_id = ${mirrorId}` : inState(sql, mirrorId, state)}
      AND t.file_id > ${after ?? ""}
    ORDER BY t.file_id LIMIT ${limit}`.pipe(Row.all(toMirrorFile))
