/**
 * Ends leases on tasks: with results, or without.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { MirrorTask, TaskLease, TaskResult } from "@holdfast/core/mirrors/worker/MirrorTask"
import { millis } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../../Transaction.ts"
import { recordset } from "../MirrorRow.ts"
import { lockHeldLeases, markPending, releaseLeases } from "./MirrorTasks.ts"

const keyOf = ({ fileId, lease, mirrorId }: TaskLease) => `${mirrorId} ${fileId} ${lease}`

/** Updates tasks. A file that changed since the claim stays pending, and is due at once. */
const updateTasks = (sql: SqlClient, results: ReadonlyArray<TaskResult>, now: number) => {
  const rows = results.map(({ failure, task }) => ({
    mirror_id: task.mirrorId,
    file_id: task.fileId,
    lease: task.lease,
    done: failure === null ? task.wanted : 0,
    wanted: task.wanted,
    due_at: failure === null ? now : millis(failure.retryAt),
    attempts: failure === null ? 0 : task.attempts + 1,
    error: failure === null ? null : failure.error
  }))
  const fields = {
    mirror_id: "text",
    file_id: "text",
    lease: "text",
    done: "bigint",
    wanted: "bigint",
    due_at: "bigint",
    attempts: "bigint",
    error: "text"
  } as const
  return sql`UPDATE mirror_task AS t SET lease = NULL, attempts = a.attempts, error = a.error,
      done = CASE WHEN a.done > t.done THEN a.done ELSE t.done END,
      due_at = CASE WHEN t.wanted > a.wanted THEN CAST(${now} AS bigint) ELSE a.due_at END
    FROM ${recordset(sql, "a", fields, rows)}
    WHERE t.mirror_id = a.mirror_id AND t.file_id = a.file_id AND t.lease = a.lease`
}

const nameFields = { mirror_id: "text", file_id: "text", name: "text" } as const

const updateWrittenObjects = (sql: SqlClient, results: ReadonlyArray<TaskResult>, now: number) => {
  const rows = results.flatMap(({ task, written }) =>
    written === null
      ? []
      : [
          {
            mirror_id: task.mirrorId,
            file_id: task.fileId,
            name: written.name,
            size: written.size,
            sha256: written.sha256,
            tag: written.tag,
            last_modified: written.lastModified ?? null
          }
        ]
  )
  const fields = { ...nameFields, size: "bigint", sha256: "text", tag: "text", last_modified: "bigint" } as const
  return rows.length === 0
    ? Effect.void
    : sql`UPDATE mirror_object AS o SET sha256 = a.sha256, size = a.size, tag = a.tag,
          last_modified = a.last_modified, written_at = ${now}
        FROM ${recordset(sql, "a", fields, rows)}
        WHERE o.mirror_id = a.mirror_id AND o.name = a.name AND o.file_id = a.file_id`
}

const deleteRemovedObjects = (sql: SqlClient, results: ReadonlyArray<TaskResult>) => {
  const rows = results.flatMap(({ removed, task }) =>
    removed.map((name) => ({ mirror_id: task.mirrorId, file_id: task.fileId, name }))
  )
  return rows.length === 0
    ? Effect.void
    : sql`DELETE FROM mirror_object WHERE (mirror_id, name, file_id) IN (
        SELECT a.mirror_id, a.name, a.file_id FROM ${recordset(sql, "a", nameFields, rows)})`
}

/** Deletes the tasks of removed files whose objects are removed. */
const deleteFinishedTasks = (sql: SqlClient, results: ReadonlyArray<TaskResult>) => {
  const rows = results.flatMap(({ failure, task }) =>
    failure === null && task.write === null ? [{ mirror_id: task.mirrorId, file_id: task.fileId }] : []
  )
  return rows.length === 0
    ? Effect.void
    : sql`DELETE FROM mirror_task WHERE done >= wanted AND (mirror_id, file_id) IN (
          SELECT a.mirror_id, a.file_id FROM ${recordset(sql, "a", { mirror_id: "text", file_id: "text" }, rows)})
        AND NOT EXISTS (SELECT 1 FROM mirror_object o
          WHERE o.mirror_id = mirror_task.mirror_id AND o.file_id = mirror_task.file_id)`
}

/**
 * Makes the owners of tasks' names pending, because the worker of a lost lease may have changed the objects. A name without an
 * owner goes to the file of the task, which may have left an object there.
 */
const invalidateObjects = Effect.fnUntraced(function* (sql: SqlClient, tasks: ReadonlyArray<MirrorTask>, now: number) {
  const byName = new Map(
    tasks.flatMap(({ fileId, mirrorId, remove, write }) =>
      [...remove, ...(write === null ? [] : [write.name])].map((name) => [
        `${mirrorId} ${name}`,
        { mirror_id: mirrorId, file_id: fileId, name }
      ])
    )
  )
  const rows = [...byName.values()]
  if (rows.length === 0) return
  const owners = yield* sql`INSERT INTO mirror_object (mirror_id, name, file_id)
    SELECT a.mirror_id, a.name, a.file_id FROM ${recordset(sql, "a", nameFields, rows)}
    WHERE EXISTS (SELECT 1 FROM mirror WHERE mirror.id = a.mirror_id AND mirror.removed = 0)
    ORDER BY a.mirror_id, a.name
    ON CONFLICT (mirror_id, name) DO UPDATE SET sha256 = NULL
    RETURNING mirror_id, file_id`.pipe(
    Row.all((row) => ({ mirrorId: Row.text(row, "mirror_id"), fileId: Row.text(row, "file_id") }))
  )
  yield* markPending(sql, owners, now)
})

/** Locks the tasks whose leases are still held. Returns a test for them. */
const lockHeld = Effect.fnUntraced(function* (sql: SqlClient, tasks: ReadonlyArray<MirrorTask>) {
  const keys = new Set((yield* lockHeldLeases(sql, tasks)).map(keyOf))
  return (task: MirrorTask): boolean => keys.has(keyOf(task))
})

export const completeTasks = (sql: SqlClient, results: ReadonlyArray<TaskResult>, now: number) =>
  Effect.gen(function* () {
    if (results.length === 0) return
    const tasks = results.map(({ task }) => task)
    const isHeld = yield* lockHeld(sql, tasks)
    const held = results.filter(({ task }) => isHeld(task))
    if (held.length > 0) {
      yield* updateTasks(sql, held, now)
      yield* updateWrittenObjects(sql, held, now)
      yield* deleteRemovedObjects(sql, held)
      yield* deleteFinishedTasks(sql, held)
    }
    const lost = tasks.filter((task) => !isHeld(task))
    yield* invalidateObjects(sql, lost, now)
  }).pipe(transaction(sql))

export const abandonTasks = (sql: SqlClient, tasks: ReadonlyArray<MirrorTask>, now: number) =>
  Effect.gen(function* () {
    if (tasks.length === 0) return
    const isHeld = yield* lockHeld(sql, tasks)
    yield* releaseLeases(sql, tasks.filter(isHeld), now)
    const lost = tasks.filter((task) => !isHeld(task))
    yield* invalidateObjects(sql, lost, now)
  }).pipe(transaction(sql))
