/**
 * Indexes and columns with which the cost of a statement on mirrors grows neither with the files that are copied, nor with
 * idle mirrors.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

/**
 * A request to retry the pending tasks of a mirror: made at `retry_tasks_at`, for tasks with an error of their own as well
 * when `retry_tasks_failed` is 1. Tasks that were due until `retry_tasks_after` are done. All are null without a request.
 * Of a removed mirror, the objects up to `cleared_name` and the tasks of the files up to `cleared_file` are deleted.
 */
const addColumns = Effect.gen(function* () {
  const sql = yield* SqlClient
  for (const column of ["retry_tasks_at", "retry_tasks_after", "retry_tasks_failed"]) {
    yield* sql`ALTER TABLE mirror ADD COLUMN ${sql.literal(column)} bigint`
  }
  const text = textType(sql)
  for (const column of ["cleared_name", "cleared_file"]) {
    yield* sql`ALTER TABLE mirror ADD COLUMN ${sql.literal(column)} ${text}`
  }
})

export const mirrorIndexes: ReadonlyArray<Migration.Step> = [
  Migration.change(addColumns),
  // Mirrors with work other than pending files.
  Migration.index({
    name: "mirror_work",
    on: `mirror (id)
      WHERE removed = 1 OR filling <> 0 OR sync_wanted > sync_done OR retry_tasks_at IS NOT NULL`
  }),
  // The files of a mirror by the state of their copy; `mirror_task_failed` has the others. Partial indexes: PostgreSQL might
  // use one over all tasks to look up a single task, and read all tasks of the mirror while it has no statistics.
  Migration.index({
    name: "mirror_task_pending",
    on: "mirror_task (mirror_id, file_id) WHERE done < wanted AND error IS NULL"
  }),
  Migration.index({ name: "mirror_task_copied", on: "mirror_task (mirror_id, file_id) WHERE done >= wanted" })
]
