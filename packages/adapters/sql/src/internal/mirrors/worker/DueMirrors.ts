/**
 * Finds the mirrors that have work to do.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { DueMirror } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { hasCome } from "../../HasCome.ts"
import * as Row from "../../Row.ts"
import { columns, flag, toMirror } from "../MirrorRow.ts"

/** Mirrors with pending files, and mirrors with other work, that one search looks at. */
const maxSeen = 500

const toDueMirror: Row.FromRow<DueMirror> = (row) => ({
  mirror: toMirror(row),
  hasTasks: flag(row, "has_tasks"),
  lacksTasks: flag(row, "filling"),
  hasRetries: flag(row, "has_retries"),
  isSyncWanted: flag(row, "is_sync_wanted"),
  isRemoved: flag(row, "removed")
})

/** The first row has the position, and no mirror when none is due. */
const toFound: Row.FromRow<{ readonly next: string | null; readonly due: DueMirror | undefined }> = (row) => ({
  next: Row.orNull(Row.text, row, "next_id"),
  due: row.id === null ? undefined : toDueMirror(row)
})

/**
 * As `MirrorTaskRepository.due`. A recursive query steps from one mirror with pending files to the next one, in the index of
 * due tasks: it never sees idle mirrors, nor more than one task of a mirror. Mirrors with other work are in an index of their own.
 * `ORDER BY mirror_id, due_at` is the order of the index, which PostgreSQL would not always choose for the first column alone.
 */
export const findDueMirrors = (
  sql: SqlClient,
  { after, limit, now }: { readonly after: string; readonly limit: number; readonly now: number }
) => {
  const isActive = sql`paused = 0 AND removed = 0 AND ${hasCome(sql, "retry_at", now)}`
  const nextPending = (id: string) =>
    sql.literal(`(SELECT t.mirror_id FROM mirror_task t WHERE t.done < t.wanted AND t.mirror_id > ${id}
      ORDER BY t.mirror_id, t.due_at LIMIT 1)`)
  const collation = sql.literal(sql.onDialectOrElse({ pg: () => ` COLLATE "C"`, orElse: () => "" }))
  // The condition of the index `mirror_work`, word for word.
  const hasOtherWork = sql.literal(
    "(removed = 1 OR filling <> 0 OR sync_wanted > sync_done OR retry_tasks_at IS NOT NULL)"
  )
  return sql`WITH RECURSIVE pending (id, position) AS (
      SELECT CAST(${after} AS text)${collation}, 0
      UNION ALL
      SELECT ${nextPending("pending.id")}, position + 1 FROM pending WHERE id IS NOT NULL AND position < ${maxSeen}),
    other (id) AS (
      SELECT id FROM mirror WHERE ${hasOtherWork} AND id > ${after} ORDER BY id LIMIT ${maxSeen}),
    part (next_id) AS (
      SELECT MIN(id) FROM (
        SELECT id FROM pending WHERE position = ${maxSeen}
        UNION ALL
        SELECT MAX(id) FROM other HAVING COUNT(*) = ${maxSeen}) AS ends),
    seen (id) AS (
      SELECT id FROM pending WHERE position > 0 AND id IS NOT NULL UNION SELECT id FROM other),
    due AS (
      SELECT ${sql.literal(columns)}, mirror.removed, CASE WHEN removed = 0 AND mirror.filling <> 0 THEN 1 ELSE 0 END AS filling,
        CASE WHEN removed = 0 AND retry_tasks_at IS NOT NULL THEN 1 ELSE 0 END AS has_retries,
        CASE WHEN ${isActive} AND (SELECT t.due_at FROM mirror_task t WHERE t.mirror_id = mirror.id AND t.done < t.wanted
          ORDER BY t.due_at LIMIT 1) <= ${now} THEN 1 ELSE 0 END AS has_tasks,
        CASE WHEN ${isActive} AND sync_wanted > sync_done AND (sync_lease IS NULL OR ${hasCome(sql, "sync_until", now)})
          THEN 1 ELSE 0 END AS is_sync_wanted
      FROM seen JOIN mirror ON mirror.id = seen.id),
    fair AS (
      SELECT due.*, ROW_NUMBER() OVER (PARTITION BY tenant_id ORDER BY random()) AS turn
      FROM due CROSS JOIN part
      WHERE (next_id IS NULL OR id <= next_id)
        AND (removed = 1 OR filling = 1 OR has_retries = 1 OR has_tasks = 1
          OR is_sync_wanted = 1))
    SELECT * FROM part LEFT JOIN fair ON 1 = 1 ORDER BY turn, id LIMIT ${limit}`.pipe(
    Row.all(toFound),
    Effect.map((rows) => ({ mirrors: rows.flatMap(({ due }) => due ?? []), next: rows[0]?.next ?? null }))
  )
}
