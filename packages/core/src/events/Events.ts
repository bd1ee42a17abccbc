/**
 * Lists and exports the events of a tenant. Requires `event:read`, which only Admins have.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { InvalidRequest, type InvalidCursor } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as Page from "../Page.ts"
import { Reference } from "../Text.ts"
import { Instant } from "../Time.ts"
import { type Event, Outcome } from "./Event.ts"
import { type EventFilter, EventRepository } from "./EventRepository.ts"

/** Which events a caller asks for. */
export interface Filter extends Omit<EventFilter, "from" | "to"> {
  /** An ISO 8601 time in UTC: events at this time or later. */
  readonly from?: string | undefined
  /** An ISO 8601 time in UTC: events before this time. */
  readonly to?: string | undefined
}

export interface ListRequest extends Filter, Page.Request {
  /** Default: the newest event first. */
  readonly order?: "NEWEST_FIRST" | "OLDEST_FIRST" | undefined
}

export interface ExportRequest extends Filter {
  /** The id of the last event that the caller has. */
  readonly after?: string | undefined
}

export class Events extends Context.Service<
  Events,
  {
    /**
     * Lists events. With a filter a page may have fewer items than `limit`, or none, although more follow. Without a tenant, lists
     * the events of the deployment that concern no tenant, such as those of account keys, for `Actor.system` only.
     */
    readonly list: (
      actor: Actor,
      tenantId: string | null,
      request: ListRequest
    ) => Effect.Effect<Page.Page<Event>, AccessError | InvalidRequest | InvalidCursor>

    /**
     * Returns the events from the oldest one on, or after `after`. Without `to`, ends with those of one minute ago: an event
     * becomes visible with the commit of its change, so that a younger one may appear before an older one, and an export that
     * continues after the younger one would miss the older one. The stream reads page after page.
     */
    readonly export: (
      actor: Actor,
      tenantId: string | null,
      request: ExportRequest
    ) => Effect.Effect<Stream.Stream<Event, MetadataError>, AccessError | InvalidRequest>
  }
>()("@holdfast/core/events/Events") {}

/** The time after which no change of an older event commits any more. Statements of a request end within seconds. */
const settling = Duration.minutes(1)

/** The events that an export reads at a time. */
const exportPage = 500

const filterFields = {
  accountId: Schema.optional(Reference),
  tokenId: Schema.optional(Reference),
  action: Schema.optional(Reference),
  outcome: Schema.optional(Outcome),
  targetId: Schema.optional(Reference),
  bucketId: Schema.optional(Reference),
  from: Schema.optional(Instant),
  to: Schema.optional(Instant)
}

const decodeList = Input.decoder(
  Schema.Struct({ ...filterFields, order: Schema.optional(Schema.Literals(["NEWEST_FIRST", "OLDEST_FIRST"])) })
)
const decodeExport = Input.decoder(Schema.Struct({ ...filterFields, after: Schema.optional(Schema.String) }))
const decodeCursor = Page.cursorDecoder(Schema.String.check(Schema.isPattern(/^evt_[0-9a-f-]{36}$/)))

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* EventRepository

  const check = (actor: Actor, tenantId: string | null) =>
    tenantId === null ? access.requireSystem(actor) : access.require(actor, tenantId, "event:read")

  return Events.of({
    list: Effect.fn("Events.list")(function* (actor, tenantId, request) {
      yield* check(actor, tenantId)
      const { order = "NEWEST_FIRST", ...filter } = yield* decodeList(request)
      const limit = yield* Page.parseLimit(request)
      const after = yield* decodeCursor(request)
      const { events, next } = yield* repository.list({ tenantId, filter, order, after, limit })
      return { items: events, nextCursor: next === null ? null : Page.encodeCursor(next) }
    }),

    export: Effect.fn("Events.export")(function* (actor, tenantId, request) {
      yield* check(actor, tenantId)
      const { after, ...filter } = yield* decodeExport(request)
      if (after !== undefined && !Ids.is("evt", after)) {
        return yield* InvalidRequest.at("/after", "must be the id of an event")
      }
      const to = filter.to ?? DateTime.subtractDuration(yield* DateTime.now, settling)
      const page = (position: string | undefined) =>
        Effect.map(
          repository.list({
            tenantId,
            filter: { ...filter, to },
            order: "OLDEST_FIRST",
            after: position,
            limit: exportPage
          }),
          ({ events, next }) => [events, next === null ? Option.none() : Option.some<string | undefined>(next)] as const
        )
      return Stream.paginate<string | undefined, Event, MetadataError, never>(after, page)
    })
  })
})

export const layer: Layer.Layer<Events, never, Access | EventRepository> = Layer.effect(Events, make)
