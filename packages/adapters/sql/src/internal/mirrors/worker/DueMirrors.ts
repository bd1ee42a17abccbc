/**
 * Finds the mirrors that have work to do.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { DueMirror } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Row from "../../Row.ts"
import { columns, flag, toMirror } from "../MirrorRow.ts"

const toDueMirror: Row.FromRow<DueMirror> = (row) => ({
  mirror: toMirror(row),
  hasTasks: flag(row, "has_tasks"),
  lacksTasks: flag(row, "filling"),
  isSyncWanted: flag(row, "is_sync_wanted"),
  isRemoved: flag(row, "removed")
})

/** Looks up the first task of each mirror: to find out whether there are any, PostgreSQL would read them all. */
export const findDueMirrors = (
  sql: SqlClient,
  { after, limit, now }: { readonly after: string; readonly limit: number; readonly now: number }
) => {
  const isActive = sql`paused = 0 AND removed = 0 AND retry_at <= ${now}`
  return sql`SELECT * FROM (
      SELECT ${sql.literal(columns)}, mirror.removed, CASE WHEN removed = 0 THEN mirror.filling ELSE 0 END AS filling,
        CASE WHEN ${isActive} AND (SELECT t.due_at FROM mirror_task t WHERE t.mirror_id = mirror.id AND t.done < t.wanted
          ORDER BY t.due_at LIMIT 1) <= ${now} THEN 1 ELSE 0 END AS has_tasks,
        CASE WHEN ${isActive} AND sync_wanted > sync_done AND (sync_lease IS NULL OR sync_until <= ${now})
          THEN 1 ELSE 0 END AS is_sync_wanted
      FROM mirror) AS m
    WHERE removed = 1 OR filling = 1 OR has_tasks = 1 OR is_sync_wanted = 1
    ORDER BY CASE WHEN id > ${after} THEN 0 ELSE 1 END, id LIMIT ${limit}`.pipe(Row.all(toDueMirror))
}
