/**
 * The conversion of a tenant that is claimed next.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { among, unplanned, unplannedText } from "../Dialect.ts"
import * as Row from "../Row.ts"

/** Conversions that one statement reads, and statements per search. A tenant has mostly fewer conversions than that. */
const pageSize = 100
const maxPages = 10

/**
 * When a conversion is due whose content was replaced or removed: never. It is removed with its content; until then it would
 * be read by every search.
 */
export const never = Number.MAX_SAFE_INTEGER

// The conditions are scalar subqueries: for `EXISTS`, PostgreSQL might read all contents once instead of those of the page.

/**
 * Condition: the content is the current content of a file. A replaced or removed one is kept only for readers that began earlier,
 * and one in a removed bucket until a step of the removal reaches its file. `table` has the columns of `conversion`.
 */
export const isCurrent = (sql: SqlClient, table: "conversion" | "waiting" = "conversion"): Fragment =>
  sql.literal(`(COALESCE((SELECT blob.state FROM blob WHERE blob.id = ${table}.blob_id), '') = 'READY'
    AND COALESCE((SELECT bucket.removed FROM bucket WHERE bucket.id = ${table}.bucket_id), 0) = 0)`)

/**
 * What waits: conversions, or the ladders of READY copies. A row has a column for each that says since when it is due, or until when it
 * is leased.
 */
export type Queue = "conversion" | "ladder"

/** The columns of a queue. */
export const columnsOf = (sql: SqlClient, queue: Queue) => ({
  dueAt: sql.literal(queue === "ladder" ? "ladder_due_at" : "due_at"),
  state: sql.literal(queue === "ladder" ? "ladder_state" : "state")
})

/** Condition: the conversion waits for that of its content to HLS, from which it is made. */
export const isWaitingForHls = (sql: SqlClient): Fragment =>
  sql.literal(`(format <> 'hls' AND COALESCE((SELECT other.state FROM conversion AS other
    WHERE other.blob_id = conversion.blob_id AND other.format = 'hls'), '') IN ('QUEUED', 'RUNNING'))`)

/** Condition: the entry waits for another one. */
const isWaiting = (sql: SqlClient, queue: Queue): Fragment => (queue === "ladder" ? sql`1 = 0` : isWaitingForHls(sql))

const toEntry = (row: Row.Row) => ({
  id: Row.text(row, "id"),
  dueAt: Row.int(row, "due_at"),
  isStale: Row.int(row, "is_current") === 0,
  isWaiting: Row.int(row, "is_waiting") === 1
})

type Entry = ReturnType<typeof toEntry>

const readPage = (sql: SqlClient, queue: Queue, tenantId: string, dueBy: number, after: Entry | undefined) => {
  const { dueAt } = columnsOf(sql, queue)
  const isBehind = after === undefined ? sql`1 = 1` : sql`(${dueAt}, id) > (${after.dueAt}, ${after.id})`
  return sql`SELECT id, ${dueAt} AS due_at, CASE WHEN ${isCurrent(sql)} THEN 1 ELSE 0 END AS is_current,
      CASE WHEN ${isWaiting(sql, queue)} THEN 1 ELSE 0 END AS is_waiting
    FROM conversion WHERE tenant_id = ${unplannedText(sql, tenantId)} AND ${dueAt} <= ${dueBy} AND ${isBehind}
    ORDER BY ${dueAt}, id LIMIT ${unplanned(sql, pageSize)}`.pipe(Row.all(toEntry))
}

/** Removes conversions of replaced and removed contents from the queue. A content that was replaced never becomes current again. */
const dequeue = (sql: SqlClient, ids: ReadonlyArray<string>) =>
  sql`UPDATE conversion SET state = 'QUEUED', due_at = ${never}
    WHERE ${among(sql, "id", ids)} AND due_at IS NOT NULL AND NOT (${isCurrent(sql)})`

/** Removes ladders of replaced and removed contents from their queue. */
const dequeueLadders = (sql: SqlClient, ids: ReadonlyArray<string>) =>
  sql`UPDATE conversion SET ladder_state = NULL, ladder_due_at = NULL
    WHERE ${among(sql, "id", ids)} AND NOT (${isCurrent(sql)})`

/** Returns the id of the tenant's conversion, or ladder, that has waited longest and can be claimed. */
export const nextConversion = Effect.fnUntraced(function* (
  sql: SqlClient,
  queue: Queue,
  tenantId: string,
  dueBy: number
) {
  let last: Entry | undefined
  for (let page = 0; page < maxPages; page++) {
    const entries: ReadonlyArray<Entry> = yield* readPage(sql, queue, tenantId, dueBy, last)
    const found = entries.find(({ isStale, isWaiting }) => !isStale && !isWaiting)
    if (found !== undefined) return Option.some(found.id)
    const stale = entries.filter(({ isStale }) => isStale).map(({ id }) => id)
    if (stale.length > 0) yield* (queue === "ladder" ? dequeueLadders : dequeue)(sql, stale)
    last = entries.at(-1)
    if (entries.length < pageSize) break
  }
  return Option.none<string>()
})

/** Whether a tenant has at least `limit` pending conversions of current contents. */
export const hasPending = Effect.fnUntraced(function* (sql: SqlClient, tenantId: string, limit: number) {
  const reachesLimit =
    sql`SELECT id FROM conversion WHERE tenant_id = ${unplannedText(sql, tenantId)} AND due_at < ${never}
    ORDER BY due_at, id LIMIT 1 OFFSET ${limit - 1}`.pipe(Effect.map((rows) => rows.length > 0))
  if (!(yield* reachesLimit)) return false
  const first = sql`SELECT id FROM conversion WHERE tenant_id = ${unplannedText(sql, tenantId)} AND due_at < ${never}
    ORDER BY due_at, id LIMIT ${2 * limit}`
  yield* dequeue(sql, yield* Row.all((row) => Row.text(row, "id"))(first))
  return yield* reachesLimit
})
