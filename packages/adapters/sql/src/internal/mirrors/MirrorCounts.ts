/**
 * Counts the files of mirrors, up to a bound: an exact count would read every file of a bucket.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { MirrorFileState } from "@holdfast/core/mirrors/Mirror"
import { type CountedMirror, maxCounted } from "@holdfast/core/mirrors/MirrorRepository"
import type { MirrorStats } from "@holdfast/core/mirrors/targets/types/CommonFields"
import { unplanned } from "../Dialect.ts"
import * as Row from "../Row.ts"
import * as Filling from "./Filling.ts"
import { toMirror } from "./MirrorRow.ts"
import { inState } from "./TaskState.ts"

/** Tasks at the end of the queue whose age is read, however many others there are. */
const tasksAtEnd = 50

interface Pending {
  readonly files: number
  readonly bytes: number
  /** The earliest change, in epoch milliseconds. */
  readonly since: number | null
}

const none: Pending = { files: 0, bytes: 0, since: null }

const toPending: Row.FromRow<Pending> = (row) => {
  const times = ["since", "last_since"].flatMap((column) => Row.orNull(Row.int, row, column) ?? [])
  return {
    files: Row.int(row, "pending"),
    bytes: Row.orNull(Row.int, row, "bytes") ?? 0,
    since: times.length === 0 ? null : Math.min(...times)
  }
}

const toTaskCounts = (row: Row.Row) => ({
  pending: toPending(row),
  copied: Row.int(row, "copied"),
  failed: Row.int(row, "failed"),
  error: Row.orNull(Row.text, row, "error")
})

/**
 * Counts at most `limit` files of each state. Files that are retried later are at the end of the index of due tasks.
 *
 * Each part is read in the order of its index. While a mirror is filled, PostgreSQL has statistics from when the mirror had few
 * tasks: with a limit that it knows, or without an order, it would read all tasks of the mirror.
 */
const countTasks = (sql: SqlClient, id: string, limit: number) => {
  const atMost = (rows: number) => unplanned(sql, rows)
  const count = (state: MirrorFileState) =>
    sql`(SELECT COUNT(*) FROM (SELECT 1 AS one FROM mirror_task t WHERE ${inState(sql, id, state)}
      ORDER BY t.file_id LIMIT ${atMost(limit)}) AS c)`
  const pending = (order: "ASC" | "DESC", rows: number) =>
    sql`(SELECT t.bytes, t.wanted_at FROM mirror_task t WHERE t.mirror_id = ${id} AND t.done < t.wanted
      ORDER BY t.due_at ${sql.literal(order)} LIMIT ${atMost(rows)})`
  return sql`SELECT COUNT(*) AS pending, CAST(SUM(p.bytes) AS bigint) AS bytes, MIN(p.wanted_at) AS since,
      (SELECT MIN(z.wanted_at) FROM ${pending("DESC", tasksAtEnd)} AS z) AS last_since,
      ${count("COPIED")} AS copied, ${count("FAILED")} AS failed,
      (SELECT t.error FROM mirror_task t WHERE ${inState(sql, id, "FAILED")} ORDER BY t.file_id LIMIT ${atMost(1)}) AS error
    FROM ${pending("ASC", limit)} AS p`.pipe(
    Row.first(toTaskCounts),
    Effect.map(Option.getOrElse(() => ({ pending: none, copied: 0, failed: 0, error: null })))
  )
}

/** Where a new mirror has got in creating the tasks of its files. */
interface Cursor {
  readonly path: string
  readonly name: string
}

/**
 * Counts the next `limit` files of the bucket. A file that changed meanwhile has a task already, and is counted twice until its
 * turn: PostgreSQL might look for its task with a plan from when the table was small, and read all tasks for each file.
 */
const countWithoutTask = (
  sql: SqlClient,
  { bucketId, createdAt }: CountedMirror["mirror"],
  cursor: Cursor,
  limit: number
) =>
  limit <= 0
    ? Effect.succeed(none)
    : sql`SELECT COUNT(*) AS pending, CAST(SUM(f.size) AS bigint) AS bytes, NULL AS since, NULL AS last_since
        FROM (SELECT file.size, file.blob_id FROM file WHERE file.bucket_id = ${bucketId}
            AND (file.path, file.name) > (${cursor.path}, ${cursor.name})
          ORDER BY file.path, file.name LIMIT ${limit}) AS f
        WHERE f.blob_id IS NOT NULL`.pipe(
        Row.first(toPending),
        Effect.map(Option.getOrElse(() => none)),
        Effect.map((count) => (count.files === 0 ? none : { ...count, since: DateTime.toEpochMillis(createdAt) }))
      )

const toFound = (row: Row.Row) => {
  const filling = Row.int(row, "filling")
  return {
    mirror: toMirror(row),
    cursor: filling === Filling.initial ? { path: Row.text(row, "fill_path"), name: Row.text(row, "fill_name") } : null,
    comparing: Row.int(row, "sync_wanted") > Row.int(row, "sync_done") || filling === Filling.again
  }
}

/** Returns mirrors, read from rows of `mirror`, with the counts of their files. The bound is for all of the mirrors together. */
export const toCountedMirrors = Effect.fnUntraced(function* (
  sql: SqlClient,
  rows: ReadonlyArray<Row.Row>,
  now: DateTime.Utc
) {
  const found = yield* Row.all(toFound)(Effect.succeed(rows))
  const limit = Math.max(100, Math.floor(maxCounted / Math.max(1, found.length)))
  return yield* Effect.forEach(found, ({ comparing, cursor, mirror }) =>
    Effect.gen(function* () {
      const { copied, error, failed, pending } = yield* countTasks(sql, mirror.id, limit)
      const more = cursor === null ? none : yield* countWithoutTask(sql, mirror, cursor, limit - pending.files)
      const times = [pending.since, more.since].filter((time) => time !== null)
      const stats: MirrorStats = {
        pending: pending.files + more.files,
        pendingBytes: pending.bytes + more.bytes,
        copied,
        failed,
        capped: pending.files + more.files >= limit || copied >= limit || failed >= limit,
        lagSeconds: times.length === 0 ? 0 : Math.max(0, (DateTime.toEpochMillis(now) - Math.min(...times)) / 1000),
        lastError: error,
        comparing
      }
      return { mirror, stats }
    })
  )
})
