/**
 * Lists events. A list is a range of the key; what the key does not order is filtered from a bounded number of rows, so that a
 * page may end before it is full.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type Event, refused } from "@holdfast/core/events/Event"
import type { EventListRequest, EventSlice } from "@holdfast/core/events/EventRepository"
import * as Ids from "@holdfast/core/Ids"
import * as CodePoints from "../CodePoints.ts"
import * as Row from "../Row.ts"
import { deployment } from "./RecordEvent.ts"

/** The events that one page reads at most when it filters them. */
const rowBudget = 2000

const columns = `id, action, actor, account_id, token_id, target_id, target_name, bucket_id, client_address,
  request_id, detail`

const rangeOf = (sql: SqlClient, { after, filter, order, tenantId }: EventListRequest): Fragment => {
  const bound = (operator: "<" | ">" | ">=", id: string) => sql`id ${sql.literal(operator)} ${id}`
  const firstAt = (time: DateTime.Utc) => Ids.firstAt("evt", DateTime.toEpochMillis(time))
  return sql.and([
    sql`tenant_id = ${tenantId ?? deployment}`,
    ...(after === undefined ? [] : [bound(order === "NEWEST_FIRST" ? "<" : ">", after)]),
    ...(filter.from === undefined ? [] : [bound(">=", firstAt(filter.from))]),
    ...(filter.to === undefined ? [] : [bound("<", firstAt(filter.to))])
  ])
}

/** Conditions on what the key does not order. */
const conditionsOf = (sql: SqlClient, { filter }: EventListRequest): ReadonlyArray<Fragment> => {
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? [] : [sql`${sql.literal(column)} = ${value}`]
  const end = filter.action === undefined ? undefined : CodePoints.successor(filter.action)
  return [
    ...equal("account_id", filter.accountId),
    ...equal("token_id", filter.tokenId),
    ...equal("target_id", filter.targetId),
    ...equal("bucket_id", filter.bucketId),
    ...(filter.outcome === undefined
      ? []
      : [sql`action ${sql.literal(filter.outcome === "REFUSED" ? "=" : "<>")} ${refused}`]),
    ...(filter.action === undefined ? [] : [sql`action >= ${filter.action}`]),
    ...(end === undefined ? [] : [sql`action < ${end}`])
  ]
}

export const listEvents = Effect.fnUntraced(function* (
  sql: SqlClient,
  request: EventListRequest,
  toEvent: Row.FromRow<Event>
) {
  const { limit, order } = request
  const range = rangeOf(sql, request)
  const conditions = conditionsOf(sql, request)
  const byId = sql.literal(order === "NEWEST_FIRST" ? "ORDER BY id DESC" : "ORDER BY id")
  /** One event more than the page holds shows whether another page follows. */
  const most = limit + 1
  const part = (selected: string, bounds: Fragment) =>
    sql`SELECT ${sql.literal(selected)} FROM event WHERE ${range} ${byId} ${bounds}`
  const found = yield* (
    conditions.length === 0
      ? part(columns, sql`LIMIT ${most}`)
      : sql`SELECT ${sql.literal(columns)} FROM (${part(columns, sql`LIMIT ${rowBudget}`)}) AS part
          WHERE ${sql.and(conditions)} ${byId} LIMIT ${most}`
  ).pipe(Row.all(toEvent))
  const events = found.slice(0, limit)
  if (found.length > limit) return { events, next: events.at(-1)?.id ?? null } satisfies EventSlice
  if (conditions.length === 0) return { events, next: null } satisfies EventSlice
  const [next = null] = yield* part("id", sql`LIMIT 1 OFFSET ${rowBudget - 1}`).pipe(
    Row.all((row) => Row.text(row, "id"))
  )
  return { events, next } satisfies EventSlice
})
