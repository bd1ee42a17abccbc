/**
 * The EventRepository in SQL.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { SqlClient } from "effect/sql/SqlClient"
import { ActorKind, type Detail, type Event, outcomeOf, targetTypeOf } from "@holdfast/core/events/Event"
import { EventRepository } from "@holdfast/core/events/EventRepository"
import * as Ids from "@holdfast/core/Ids"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { deleteOlder } from "./DeleteEvents.ts"
import { listEvents } from "./ListEvents.ts"
import { recordRefusal } from "./RecordRefusal.ts"

/** The column was written from a checked value, so that only the outermost type is checked again. */
const isDetail = (value: unknown): value is Detail => Predicate.isObject(value)

const toEvent: Row.FromRow<Event> = (row) => {
  const id = Row.text(row, "id")
  const action = Row.text(row, "action")
  return {
    id,
    at: DateTime.makeUnsafe(Ids.createdAt(id)),
    action,
    outcome: outcomeOf(action),
    actor: {
      kind: Row.oneOf(ActorKind.literals, row, "actor"),
      accountId: Row.orNull(Row.text, row, "account_id"),
      tokenId: Row.orNull(Row.text, row, "token_id")
    },
    target: {
      type: targetTypeOf(action),
      id: Row.orNull(Row.text, row, "target_id"),
      name: Row.orNull(Row.text, row, "target_name")
    },
    bucketId: Row.orNull(Row.text, row, "bucket_id"),
    clientAddress: Row.orNull(Row.text, row, "client_address"),
    requestId: Row.orNull(Row.text, row, "request_id"),
    detail: Row.json(isDetail, row, "detail")
  }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  return EventRepository.of({
    list: (request) => listEvents(sql, request, toEvent).pipe(operation("events.list")),
    recordRefusal: (refusal) => recordRefusal(sql, refusal).pipe(operation("events.recordRefusal")),
    deleteOlder: (terms) => deleteOlder(sql, terms).pipe(operation("events.deleteOlder"))
  })
})

export const layer: Layer.Layer<EventRepository, never, SqlClient> = Layer.effect(EventRepository, make)
