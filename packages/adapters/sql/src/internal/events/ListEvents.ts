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
import * as FilteredPart from "../FilteredPart.ts"
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
  const byId = order === "NEWEST_FIRST" ? "id DESC" : "id"
  /** One event more than the page holds shows whether another page follows. */
  const most = limit + 1
  const from = sql`event WHERE ${range}`
  const conditions = conditionsOf(sql, request)
  const found =
    conditions.length === 0
      ? yield* sql`SELECT ${sql.literal(columns)} FROM ${from} ORDER BY ${sql.literal(byId)} LIMIT ${most}`.pipe(
          Row.all(toEvent),
          Effect.map((events) => ({ events, end: null }))
        )
      : yield* FilteredPart.read(sql, {
          columns,
          from,
          order: byId,
          condition: sql.and(conditions),
          limit: most,
          budget: rowBudget
        }).pipe(
          Row.convert(({ end, rows }) => ({
            events: rows.map(toEvent),
            end: end === undefined ? null : Row.text(end, "id")
          }))
        )
  const events = found.events.slice(0, limit)
  const next = found.events.length > limit ? (events.at(-1)?.id ?? null) : found.end
  return { events, next } satisfies EventSlice
})
