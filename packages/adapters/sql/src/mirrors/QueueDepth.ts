/**
 * How much there is to do for all mirrors.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { MirrorQueueDepth } from "@holdfast/core/mirrors/MirrorRepository"
import * as Row from "../Row.ts"

/** Files at each end of a mirror's line that are looked at for their age, however many others there are. */
const end = 50

const toBacklog: Row.FromRow<MirrorQueueDepth> = (row) => {
  const times = ["any_since", "first_since", "last_since"].flatMap((column) => Row.orNull(Row.int, row, column) ?? [])
  return {
    pending: Row.int(row, "pending"),
    failing: Row.int(row, "failing"),
    oldest: times.length === 0 ? null : DateTime.makeUnsafe(Math.min(...times))
  }
}

const nothing: MirrorQueueDepth = { pending: 0, failing: 0, oldest: null }

/**
 * No index knows how long a file has waited, but that of what is due comes close: at its beginning are the files that wait
 * for their turn, at its end those that are tried again later. Each mirror's part of it is looked up by itself: joined,
 * PostgreSQL would read all tasks, since it does not know how few of them are pending.
 */
export const backlog = (sql: SqlClient, limit: number) => {
  const works = sql.literal("mirror.removed = 0 AND mirror.paused = 0")
  const line = (order: "ASC" | "DESC", count: Fragment) =>
    sql`SELECT t.wanted_at FROM mirror_task t WHERE t.mirror_id = mirror.id AND t.done < t.wanted
      ORDER BY t.due_at ${sql.literal(order)} LIMIT ${count}`
  const few = sql`${end}`
  const each = sql.onDialectOrElse({
    // A limit that is only known later is planned for as a small part, which is read in the index's order: otherwise all that
    // is pending for a mirror might be read and sorted.
    pg: () => {
      const later = sql`(SELECT CAST(${limit} AS bigint))`
      return sql`mirror CROSS JOIN LATERAL (${line("ASC", later)}) AS t WHERE ${works}`
    },
    // In this order of the two tables; it stops at the limit.
    orElse: () => sql`mirror CROSS JOIN mirror_task t WHERE ${works} AND t.mirror_id = mirror.id AND t.done < t.wanted`
  })
  return sql`SELECT * FROM
      (SELECT COUNT(*) AS pending, MIN(wanted_at) AS any_since
        FROM (SELECT t.wanted_at FROM ${each} LIMIT ${limit}) AS part) AS counted
      CROSS JOIN
      (SELECT COUNT(failing_since) AS failing,
          MIN((SELECT MIN(a.wanted_at) FROM (${line("ASC", few)}) AS a)) AS first_since,
          MIN((SELECT MIN(z.wanted_at) FROM (${line("DESC", few)}) AS z)) AS last_since
        FROM mirror WHERE ${works}) AS looked`.pipe(Row.first(toBacklog), Effect.map(Option.getOrElse(() => nothing)))
}
