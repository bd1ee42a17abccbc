/**
 * Counts the files of mirrors.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { CountedMirror } from "@holdfast/core/mirrors/MirrorRepository"
import type { MirrorStats } from "@holdfast/core/mirrors/targets/types/CommonFields"
import { among } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { flag, toMirror } from "./MirrorRow.ts"

interface Count {
  readonly id: string
  readonly pending: number
  readonly bytes: number
  readonly copied: number
  readonly failed: number
  readonly since: number | null
  readonly error: string | null
}

const toCount: Row.FromRow<Count> = (row) => ({
  id: Row.text(row, "mirror_id"),
  pending: Row.int(row, "pending"),
  bytes: Row.int(row, "bytes"),
  copied: Row.int(row, "copied"),
  failed: Row.int(row, "failed"),
  since: Row.orNull(Row.int, row, "since"),
  error: Row.orNull(Row.text, row, "error")
})

const none = { pending: 0, bytes: 0, copied: 0, failed: 0, since: null, error: null }

/** Counts the files that have a task. */
const countTasks = (sql: SqlClient, ids: ReadonlyArray<string>) =>
  sql`SELECT t.mirror_id,
      CAST(SUM(CASE WHEN t.done < t.wanted THEN 1 ELSE 0 END) AS bigint) AS pending,
      CAST(SUM(CASE WHEN t.done < t.wanted THEN 0 ELSE 1 END) AS bigint) AS copied,
      CAST(SUM(CASE WHEN t.done < t.wanted AND t.error IS NOT NULL THEN 1 ELSE 0 END) AS bigint) AS failed,
      MIN(CASE WHEN t.done < t.wanted THEN t.wanted_at ELSE NULL END) AS since,
      MAX(CASE WHEN t.done < t.wanted THEN t.error ELSE NULL END) AS error,
      CAST(SUM(CASE WHEN t.done < t.wanted THEN t.bytes ELSE 0 END) AS bigint) AS bytes
    FROM mirror_task t WHERE ${among(sql, "t.mirror_id", ids)} GROUP BY t.mirror_id`.pipe(Row.all(toCount))

/**
 * Counts the files that have no task yet. `NOT IN` makes the tasks a list that is read once: with a look-up for each file,
 * PostgreSQL would read all tasks for each file while it estimates the table to be small.
 */
const countWithoutTask = (sql: SqlClient, id: string) =>
  sql`SELECT mirror.id AS mirror_id, CAST(COUNT(*) AS bigint) AS pending, CAST(SUM(f.size) AS bigint) AS bytes,
      0 AS copied, 0 AS failed, MIN(mirror.created_at) AS since, NULL AS error
    FROM mirror JOIN file f ON f.tenant_id = mirror.tenant_id AND f.bucket_id = mirror.bucket_id
      AND (f.path, f.name) > (mirror.fill_path, mirror.fill_name) AND f.blob_id IS NOT NULL
    WHERE mirror.id = ${id} AND f.id NOT IN (SELECT t.file_id FROM mirror_task t WHERE t.mirror_id = ${id})
    GROUP BY mirror.id`.pipe(Row.all(toCount))

/** Returns mirrors, read from rows of `mirror`, with the counts of their files. */
export const toCountedMirrors = Effect.fnUntraced(function* (
  sql: SqlClient,
  rows: ReadonlyArray<Row.Row>,
  now: DateTime.Utc
) {
  const found = yield* Row.all((row) => ({
    mirror: toMirror(row),
    isFilling: flag(row, "filling"),
    comparing: Row.int(row, "sync_wanted") > Row.int(row, "sync_done")
  }))(Effect.succeed(rows))
  const ids = found.map(({ mirror }) => mirror.id)
  const filling = found.flatMap(({ isFilling, mirror }) => (isFilling ? [mirror.id] : []))
  const counts = new Map((yield* countTasks(sql, ids)).map((count) => [count.id, count]))
  const unfilled = yield* Effect.forEach(filling, (id) => countWithoutTask(sql, id))
  const more = new Map(unfilled.flat().map((count) => [count.id, count]))
  return found.map(({ comparing, mirror }): CountedMirror => {
    const [a, b] = [counts.get(mirror.id) ?? none, more.get(mirror.id) ?? none]
    const since = Math.min(a.since ?? Number.POSITIVE_INFINITY, b.since ?? Number.POSITIVE_INFINITY)
    const stats: MirrorStats = {
      pending: a.pending + b.pending,
      pendingBytes: a.bytes + b.bytes,
      copied: a.copied,
      failed: a.failed,
      lagSeconds: Number.isFinite(since) ? Math.max(0, (DateTime.toEpochMillis(now) - since) / 1000) : 0,
      lastError: a.error,
      comparing
    }
    return { mirror, stats }
  })
})
