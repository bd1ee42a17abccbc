/**
 * Tasks of mirrors: making files pending, and prolonging holds.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { TaskLease } from "@holdfast/core/mirrors/worker/MirrorTask"
import * as Row from "../../Row.ts"
import { recordset } from "../MirrorRow.ts"

/** Has what is pending and waits for a later time tried at once: all of it, or what does not wait for its own sake. */
export const hurry = (sql: SqlClient, mirrorId: string, at: number, which: "ALL" | "BLAMELESS") =>
  sql`UPDATE mirror_task SET due_at = ${at}
    WHERE mirror_id = ${mirrorId} AND done < wanted AND due_at > ${at} AND lease IS NULL
      ${which === "ALL" ? sql.literal("") : sql.literal("AND error IS NULL")}`

/** Makes files of mirrors pending anew; those of mirrors that are gone are passed over. */
export const bump = (
  sql: SqlClient,
  files: ReadonlyArray<{ readonly mirrorId: string; readonly fileId: string }>,
  at: number
) => {
  const unique = new Map(files.map((file) => [`${file.mirrorId} ${file.fileId}`, file]))
  const rows = Array.from(unique.values(), ({ fileId, mirrorId }) => ({ mirror_id: mirrorId, file_id: fileId }))
  // A mirror whose rows are being cleared is waited for, so that none are added behind.
  const share = sql.literal(sql.onDialectOrElse({ pg: () => "FOR KEY SHARE", orElse: () => "" }))
  const least = sql.literal(sql.onDialectOrElse({ pg: () => "LEAST", orElse: () => "MIN" }))
  return rows.length === 0
    ? Effect.void
    : sql`INSERT INTO mirror_task (mirror_id, file_id, bytes, wanted, done, wanted_at, due_at, attempts)
        SELECT a.mirror_id, a.file_id, 0, 1, 0, CAST(${at} AS bigint), CAST(${at} AS bigint), 0
        FROM ${recordset(sql, "a", { mirror_id: "text", file_id: "text" }, rows)}
        WHERE EXISTS (SELECT 1 FROM mirror WHERE mirror.id = a.mirror_id AND mirror.removed = 0 ${share})
        ORDER BY a.mirror_id, a.file_id
        ON CONFLICT (mirror_id, file_id) DO UPDATE SET wanted = mirror_task.wanted + 1,
          wanted_at = CASE WHEN mirror_task.done < mirror_task.wanted THEN mirror_task.wanted_at
            ELSE excluded.wanted_at END,
          due_at = CASE WHEN mirror_task.lease IS NOT NULL THEN mirror_task.due_at
            WHEN mirror_task.done < mirror_task.wanted THEN ${least}(mirror_task.due_at, excluded.due_at)
            ELSE excluded.due_at END`
}

const holdFields = { mirror: "text", file: "text", hold: "text" } as const

const toHold: Row.FromRow<TaskLease> = (row) => ({
  mirrorId: Row.text(row, "mirror_id"),
  fileId: Row.text(row, "file_id"),
  lease: Row.text(row, "lease")
})

/** Rows `a` of holds, and tasks `t` while the holds stand. */
const rows = (sql: SqlClient, holds: ReadonlyArray<TaskLease>) =>
  recordset(
    sql,
    "a",
    holdFields,
    holds.map(({ fileId, lease, mirrorId }) => ({ mirror: mirrorId, file: fileId, hold: lease }))
  )
const held = "t.mirror_id = a.mirror AND t.file_id = a.file AND t.lease = a.hold"

export const renew = (sql: SqlClient, holds: ReadonlyArray<TaskLease>, leaseUntil: number) =>
  sql`UPDATE mirror_task AS t SET due_at = ${leaseUntil} FROM ${rows(sql, holds)} WHERE ${sql.literal(held)}
    RETURNING mirror_id, file_id, lease`.pipe(Row.all(toHold))

/** Which of these holds stand; they do until the transaction ends. */
export const standing = (sql: SqlClient, holds: ReadonlyArray<TaskLease>) =>
  sql`SELECT t.mirror_id, t.file_id, t.lease FROM mirror_task t JOIN ${rows(sql, holds)} ON ${sql.literal(held)}
    ORDER BY t.mirror_id, t.file_id
    ${sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE OF t", orElse: () => "" }))}`.pipe(Row.all(toHold))

/** Gives holds that stand back: they are due at once. */
export const giveBack = (sql: SqlClient, holds: ReadonlyArray<TaskLease>, at: number) =>
  sql`UPDATE mirror_task AS t SET lease = NULL, due_at = ${at} FROM ${rows(sql, holds)} WHERE ${sql.literal(held)}`
