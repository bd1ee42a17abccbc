/**
 * Makes pending tasks due that wait for a later time, in batches: after an outage, every file of a large bucket may wait.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { among, skipLocked } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../../Transaction.ts"

/** Tasks that the request itself makes due. */
const firstBatch = 100

const toRequest = (row: Row.Row) => ({
  at: Row.int(row, "retry_tasks_at"),
  after: Row.int(row, "retry_tasks_after"),
  withFailed: Row.int(row, "retry_tasks_failed") === 1
})

const toWaiting = (row: Row.Row) => ({
  fileId: Row.text(row, "file_id"),
  dueAt: Row.int(row, "due_at"),
  hasError: Row.int(row, "has_error") === 1
})

/** As `MirrorTaskRepository.retryTasks`, in a transaction. Steps through the index of due tasks. */
const retryBatch = Effect.fnUntraced(function* (sql: SqlClient, mirrorId: string, limit: number) {
  const found = yield* sql`SELECT retry_tasks_at, retry_tasks_after, retry_tasks_failed FROM mirror
    WHERE id = ${mirrorId} AND retry_tasks_at IS NOT NULL AND removed = 0 ${skipLocked(sql)}`.pipe(Row.first(toRequest))
  if (found._tag === "None") return false
  const { after, at, withFailed } = found.value
  const next =
    yield* sql`SELECT file_id, due_at, CASE WHEN error IS NULL THEN 0 ELSE 1 END AS has_error FROM mirror_task
    WHERE mirror_id = ${mirrorId} AND done < wanted AND due_at > ${after} ORDER BY due_at LIMIT ${limit}`.pipe(
      Row.all(toWaiting)
    )
  const ids = next.flatMap(({ fileId, hasError }) => (hasError && !withFailed ? [] : [fileId]))
  const changed = yield* sql`UPDATE mirror_task SET due_at = ${at}
    WHERE mirror_id = ${mirrorId} AND ${among(sql, "file_id", ids)} AND lease IS NULL RETURNING 1 AS one`
  const last = next.length < limit ? undefined : next.at(-1)?.dueAt
  // Further tasks may have the time of the last one. A batch that changed none of them is passed over as a whole.
  yield* last === undefined
    ? sql`UPDATE mirror SET retry_tasks_at = NULL, retry_tasks_after = NULL, retry_tasks_failed = NULL WHERE id = ${mirrorId}`
    : sql`UPDATE mirror SET retry_tasks_after = ${changed.length === 0 ? last : last - 1} WHERE id = ${mirrorId}`
  return last !== undefined
})

/**
 * Requests that the pending tasks of a mirror are retried, and makes the first of them due. `WITHOUT_ERROR`: except those that
 * wait because of an error of their own file.
 */
export const requestRetries = Effect.fnUntraced(function* (
  sql: SqlClient,
  input: { readonly mirrorId: string; readonly now: number; readonly which: "ALL" | "WITHOUT_ERROR" }
) {
  const withFailed = input.which === "ALL" ? 1 : 0
  // A request that is not finished yet begins again, and keeps the tasks with errors that it includes.
  yield* sql`UPDATE mirror SET retry_tasks_at = ${input.now}, retry_tasks_after = ${input.now},
      retry_tasks_failed = CASE WHEN retry_tasks_failed = 1 THEN 1 ELSE ${withFailed} END
    WHERE id = ${input.mirrorId}`
  yield* retryBatch(sql, input.mirrorId, firstBatch)
})

export const retryTasks = (
  sql: SqlClient,
  { limit, mirrorId }: { readonly mirrorId: string; readonly limit: number }
) => transaction(sql)(retryBatch(sql, mirrorId, limit))
