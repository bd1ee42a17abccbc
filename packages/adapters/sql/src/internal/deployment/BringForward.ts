/**
 * Makes due, or lets expire, what a clock that was far ahead has postponed.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { paced } from "@holdfast/core/workers/Pace"
import { farthest } from "../HasCome.ts"
import { skipLocked } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { never } from "../conversions/NextConversion.ts"

/** The rows of a batch: some 10 ms with SQLite, where other writers wait meanwhile. */
const batchSize = 500

/**
 * More than the longest `blobGrace` and `uploadExpiry` of a service, and than the time for which ended deliveries are kept, in milliseconds.
 * Rows that are removed at their time keep this time: a clock that is behind, and not ahead, must not end their grace period, nor the lease
 * of an upload that runs.
 */
const longestGrace = 2_678_400_000

/** Rows whose time says from when on a worker may claim them, or until when one has done so. An index has the times in order. */
interface Queue {
  readonly table: string
  /** The columns of the key. */
  readonly key: string
  readonly time: string
  /** The condition of the index. */
  readonly where?: string
  /** The column before the time in the index, where each owner has a queue of its own. */
  readonly owner?: string
  /** Milliseconds: rows that are due later than that are due then. Default: those that are due later than `farthest` are due now. */
  readonly grace?: number
}

const queues: ReadonlyArray<Queue> = [
  { table: "blob", key: "id", time: "due_at", where: "state = 'DOOMED'", grace: longestGrace },
  { table: "blob", key: "id", time: "due_at", where: "state = 'PENDING'", grace: longestGrace },
  { table: "upload", key: "id", time: "expires_at", grace: longestGrace },
  {
    table: "webhook_delivery",
    key: "webhook_id, event_id",
    time: "delete_at",
    where: "delete_at IS NOT NULL",
    grace: longestGrace
  },
  { table: "removal", key: "id", time: "due_at" },
  { table: "folder_job", key: "id", time: "due_at" },
  { table: "hook_task", key: "id", time: "due_at" },
  { table: "damage", key: "blob_id", time: "due_at" },
  { table: "content_digest", key: "content_id", time: "due_at" },
  { table: "poster", key: "blob_id", time: "due_at" },
  { table: "conversion", key: "id", time: "due_at" },
  { table: "conversion", key: "id", time: "ladder_due_at", where: "ladder_due_at IS NOT NULL", owner: "tenant_id" },
  { table: "conversion", key: "id", time: "poster_due" },
  { table: "mirror_task", key: "file_id", time: "due_at", where: "done < wanted", owner: "mirror_id" },
  { table: "webhook_delivery", key: "event_id", time: "due_at", where: "state = 'PENDING'", owner: "webhook_id" }
]

/** Brings the rows of a queue, or of an owner in it, forward. Reads before it writes: mostly there are none. */
const bringQueueForward = Effect.fnUntraced(function* (sql: SqlClient, queue: Queue, now: number, owner?: string) {
  const [table, key, time] = [sql.literal(queue.table), sql.literal(queue.key), sql.literal(queue.time)]
  const ofOwner = owner === undefined ? sql`1 = 1` : sql`${sql.literal(queue.owner ?? "")} = ${owner}`
  // A conversion of a replaced content is never due.
  const isAhead = sql`${ofOwner} AND ${sql.literal(queue.where ?? "1 = 1")}
    AND ${time} > ${now + (queue.grace ?? farthest)} AND ${time} < ${never}`
  const ahead = sql`SELECT ${key} FROM ${table} WHERE ${isAhead} ORDER BY ${time} LIMIT ${batchSize}`
  let total = 0
  while ((yield* ahead).length > 0) {
    const changed = yield* paced(
      sql`UPDATE ${table} SET ${time} = ${now + (queue.grace ?? 0)} WHERE (${key}) IN (${ahead} ${skipLocked(sql)}) AND ${isAhead} RETURNING ${key}`
    )
    total += changed.length
    // Other transactions have the rest.
    if (changed.length === 0) break
  }
  return total
})

/** Steps from one owner with pending rows to the next one in the index. Returns those of whom a row is far ahead. */
const findOwners = (sql: SqlClient, { owner = "", table, time, where = "" }: Queue, now: number) => {
  const collation = sql.literal(sql.onDialectOrElse({ pg: () => ` COLLATE "C"`, orElse: () => "" }))
  const next = sql.literal(`(SELECT t.${owner} FROM ${table} t WHERE t.${where} AND t.${owner} > pending.id
    ORDER BY t.${owner}, t.${time} LIMIT 1)`)
  const last = sql.literal(`(SELECT t.${time} FROM ${table} t WHERE t.${where} AND t.${owner} = pending.id
    ORDER BY t.${owner} DESC, t.${time} DESC LIMIT 1)`)
  return sql`WITH RECURSIVE pending (id) AS (
      SELECT CAST('' AS text)${collation}
      UNION ALL
      SELECT ${next} FROM pending WHERE id IS NOT NULL)
    SELECT id FROM pending WHERE id <> '' AND ${last} > ${now + farthest}`.pipe(Row.all((row) => Row.text(row, "id")))
}

/** As `DeploymentRepository.bringForward`. `now` is in epoch milliseconds. */
export const bringForward = Effect.fnUntraced(function* (sql: SqlClient, now: number) {
  let total = 0
  for (const queue of queues) {
    const owners = queue.owner === undefined ? [undefined] : yield* findOwners(sql, queue, now)
    for (const owner of owners) total += yield* bringQueueForward(sql, queue, now, owner)
  }
  return total
})
