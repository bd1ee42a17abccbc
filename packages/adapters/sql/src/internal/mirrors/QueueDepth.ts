/**
 * The queue depth of all mirrors.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { MirrorQueueDepth } from "@holdfast/core/mirrors/MirrorRepository"
import { unplanned } from "../Dialect.ts"
import * as Row from "../Row.ts"

/** Tasks at each end of a mirror's queue whose age is read, however many others there are. */
const tasksAtEachEnd = 50

const toQueueDepth: Row.FromRow<MirrorQueueDepth> = (row) => {
  const times = ["any_since", "first_since", "last_since"].flatMap((column) => Row.orNull(Row.int, row, column) ?? [])
  return {
    pending: Row.int(row, "pending"),
    failing: Row.int(row, "failing"),
    oldest: times.length === 0 ? null : DateTime.makeUnsafe(Math.min(...times))
  }
}

const empty: MirrorQueueDepth = { pending: 0, failing: 0, oldest: null }

/**
 * No index is ordered by the age of changes, but the index of due tasks comes close: tasks that wait for their first attempt are
 * at its beginning, tasks that are retried later are at its end. Each mirror's part of the index is looked up separately: in a
 * join PostgreSQL would read all tasks, since it does not know how few of them are pending.
 */
export const queueDepth = (sql: SqlClient, limit: number) => {
  const isActive = sql.literal("mirror.removed = 0 AND mirror.paused = 0")
  const pending = (order: "ASC" | "DESC", count: Fragment) =>
    sql`SELECT t.wanted_at FROM mirror_task t WHERE t.mirror_id = mirror.id AND t.done < t.wanted
      ORDER BY t.due_at ${sql.literal(order)} LIMIT ${count}`
  const few = sql`${tasksAtEachEnd}`
  const each = sql.onDialectOrElse({
    // With a limit that it knows, PostgreSQL might read and sort all pending tasks of a mirror.
    pg: () => sql`mirror CROSS JOIN LATERAL (${pending("ASC", unplanned(sql, limit))}) AS t WHERE ${isActive}`,
    // CROSS JOIN keeps SQLite to this order of the two tables; it stops at the limit.
    orElse: () =>
      sql`mirror CROSS JOIN mirror_task t WHERE ${isActive} AND t.mirror_id = mirror.id AND t.done < t.wanted`
  })
  return sql`SELECT * FROM
      (SELECT COUNT(*) AS pending, MIN(wanted_at) AS any_since
        FROM (SELECT t.wanted_at FROM ${each} LIMIT ${limit}) AS part) AS counted
      CROSS JOIN
      (SELECT COUNT(failing_since) AS failing,
          MIN((SELECT MIN(a.wanted_at) FROM (${pending("ASC", few)}) AS a)) AS first_since,
          MIN((SELECT MIN(z.wanted_at) FROM (${pending("DESC", few)}) AS z)) AS last_since
        FROM mirror WHERE ${isActive}) AS looked`.pipe(
    Row.first(toQueueDepth),
    Effect.map(Option.getOrElse(() => empty))
  )
}
