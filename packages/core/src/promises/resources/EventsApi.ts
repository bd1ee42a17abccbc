/**
 * Events: `holdfast.events` and `client.events`.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Event, toJson } from "../../events/Event.ts"
import { Events, type ExportRequest, type ListRequest } from "../../events/Events.ts"
import type * as Page from "../../Page.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import type { WithTimes } from "../internal/Times.ts"
import type { TenantRef } from "./internal/Shared.ts"

export interface EventRecord<Time = Date> extends WithTimes<Event, Time> {}
export interface ListEventsInput extends TenantRef, ListRequest {}

export interface ExportEventsInput extends TenantRef, ExportRequest {}

export interface EventOperations<Time> {
  /**
   * Lists the events of a tenant, the newest first. With a filter a page may have fewer items than `limit`, or none, although more
   * follow: read pages until `nextCursor` is null.
   */
  list(input: ListEventsInput): Page.Page<EventRecord<Time>>

  /**
   * Exports the events of a tenant as NDJSON, one in each line, the oldest first: after the event `after`, and without
   * `to` up to those of one minute ago.
   */
  export(input: ExportEventsInput): ReadableStream<Uint8Array>
}

export interface EventsApi extends Methods<EventOperations<Date>, [actor: ActorHandle]> {}

const encoder = new TextEncoder()

const toLine = (event: Event): Uint8Array => encoder.encode(`${toJson(event)}\n`)

/** The fields of a filter of events. */
const filter = {
  accountId: true,
  tokenId: true,
  action: true,
  outcome: true,
  targetId: true,
  bucketId: true,
  from: true,
  to: true
} as const

export const make = (invoke: Invoke): EventsApi =>
  bind<EventOperations<Date>>(
    invoke,
    {
      list: (actor, input) => Events.use((service) => service.list(actor, input.tenantId, input)),
      export: Effect.fnUntraced(function* (actor, input) {
        const events = yield* Events.use((service) => service.export(actor, input.tenantId, input))
        return Stream.toReadableStreamWith(Stream.map(events, toLine), yield* Effect.context<never>())
      })
    },
    {
      list: { ...Fields.tenant, ...filter, ...Fields.page, order: true },
      export: { ...Fields.tenant, ...filter, after: true }
    },
    { list: true }
  )
