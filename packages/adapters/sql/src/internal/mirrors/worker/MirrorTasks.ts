/**
 * Statements on rows of `mirror_task` that several steps share.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { TaskLease } from "@holdfast/core/mirrors/worker/MirrorTask"
import { lock } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { recordset } from "../MirrorRow.ts"

/**
 * Makes files of mirrors pending again, as a change of them does. Skips those of removed mirrors; waits for a transaction that
 * clears a mirror, so that no rows are added behind it.
 */
export const markPending = (
  sql: SqlClient,
  files: ReadonlyArray<{ readonly mirrorId: string; readonly fileId: string }>,
  now: number
) => {
  const unique = new Map(files.map((file) => [`${file.mirrorId} ${file.fileId}`, file]))
  const rows = Array.from(unique.values(), ({ fileId, mirrorId }) => ({ mirror_id: mirrorId, file_id: fileId }))
  const least = sql.literal(sql.onDialectOrElse({ pg: () => "LEAST", orElse: () => "MIN" }))
  return rows.length === 0
    ? Effect.void
    : sql`INSERT INTO mirror_task (mirror_id, file_id, bytes, wanted, done, wanted_at, due_at, attempts)
        SELECT a.mirror_id, a.file_id, 0, 1, 0, CAST(${now} AS bigint), CAST(${now} AS bigint), 0
        FROM ${recordset(sql, "a", { mirror_id: "text", file_id: "text" }, rows)}
        WHERE EXISTS (SELECT 1 FROM mirror WHERE mirror.id = a.mirror_id AND mirror.removed = 0
          ${lock(sql, "FOR KEY SHARE")})
        ORDER BY a.mirror_id, a.file_id
        ON CONFLICT (mirror_id, file_id) DO UPDATE SET wanted = mirror_task.wanted + 1,
          wanted_at = CASE WHEN mirror_task.done < mirror_task.wanted THEN mirror_task.wanted_at
            ELSE excluded.wanted_at END,
          due_at = CASE WHEN mirror_task.lease IS NOT NULL THEN mirror_task.due_at
            WHEN mirror_task.done < mirror_task.wanted THEN ${least}(mirror_task.due_at, excluded.due_at)
            ELSE excluded.due_at END`
}

const leaseFields = { mirror: "text", file: "text", lease_id: "text" } as const

const toLease: Row.FromRow<TaskLease> = (row) => ({
  mirrorId: Row.text(row, "mirror_id"),
  fileId: Row.text(row, "file_id"),
  lease: Row.text(row, "lease")
})

/** Leases as the rows `a` of a statement. */
const leaseRows = (sql: SqlClient, leases: ReadonlyArray<TaskLease>) =>
  recordset(
    sql,
    "a",
    leaseFields,
    leases.map(({ fileId, lease, mirrorId }) => ({ mirror: mirrorId, file: fileId, lease_id: lease }))
  )

/** Joins the tasks `t` to the leases `a` that are still held on them. */
const isHeld = "t.mirror_id = a.mirror AND t.file_id = a.file AND t.lease = a.lease_id"

interface LeaseRenewal {
  readonly leases: ReadonlyArray<TaskLease>
  readonly leaseUntil: number
  readonly now: number
}

/**
 * Renews leases; returns those that are still held.
 *
 * One statement renews the leases of all mirrors of a worker, so on PostgreSQL it skips the tasks that another transaction
 * has locked, such as a change of the file that waits for its bucket. A skipped lease that has not expired is held: no
 * worker can claim its task before it expires. One that has expired counts as lost, because a claim may hold the lock.
 */
export const renewLeases = (sql: SqlClient, { leases, leaseUntil, now }: LeaseRenewal) =>
  sql
    .onDialectOrElse({
      pg: () => sql`WITH free AS (
          SELECT t.mirror_id, t.file_id FROM mirror_task t JOIN ${leaseRows(sql, leases)} ON ${sql.literal(isHeld)}
          FOR NO KEY UPDATE OF t SKIP LOCKED
        ), renewed AS (
          UPDATE mirror_task AS t SET due_at = ${leaseUntil} FROM free
          WHERE t.mirror_id = free.mirror_id AND t.file_id = free.file_id
          RETURNING t.mirror_id, t.file_id, t.lease
        )
        SELECT mirror_id, file_id, lease FROM renewed UNION
        SELECT t.mirror_id, t.file_id, t.lease FROM mirror_task t JOIN ${leaseRows(sql, leases)}
          ON ${sql.literal(isHeld)} WHERE t.due_at > ${now}`,
      orElse: () =>
        sql`UPDATE mirror_task AS t SET due_at = ${leaseUntil} FROM ${leaseRows(sql, leases)}
          WHERE ${sql.literal(isHeld)} RETURNING mirror_id, file_id, lease`
    })
    .pipe(Row.all(toLease))

/** Returns the leases that are still held, and locks their tasks until the transaction ends. */
export const lockHeldLeases = (sql: SqlClient, leases: ReadonlyArray<TaskLease>) =>
  sql`SELECT t.mirror_id, t.file_id, t.lease FROM mirror_task t JOIN ${leaseRows(sql, leases)} ON ${sql.literal(isHeld)}
    ORDER BY t.mirror_id, t.file_id
    ${sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE OF t", orElse: () => "" }))}`.pipe(Row.all(toLease))

/** Releases leases that are still held: their tasks are due at once. */
export const releaseLeases = (sql: SqlClient, leases: ReadonlyArray<TaskLease>, now: number) =>
  sql`UPDATE mirror_task AS t SET lease = NULL, due_at = ${now} FROM ${leaseRows(sql, leases)}
    WHERE ${sql.literal(isHeld)}`
