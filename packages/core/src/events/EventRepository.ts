/**
 * The port that reads and removes events, and writes those of refused requests. The repositories of the resources write the
 * others: every method that changes a record writes one event in the transaction of the change, with the current `EventAuthor`
 * and `CurrentRequest`.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type { Detail, Event, Outcome } from "./Event.ts"

/** Which events a list contains. */
export interface EventFilter {
  /** Events of this account. */
  readonly accountId?: string | undefined
  /** Events of this API token. */
  readonly tokenId?: string | undefined
  /** The action, or its beginning, such as `file.`. */
  readonly action?: string | undefined
  /** `REFUSED` for requests that were refused; `SUCCESS` for everything that was done. */
  readonly outcome?: Outcome | undefined
  /** Events that concern this record. */
  readonly targetId?: string | undefined
  /** Events in this bucket. */
  readonly bucketId?: string | undefined
  /** Events at this time or later. */
  readonly from?: DateTime.Utc | undefined
  /** Events before this time. */
  readonly to?: DateTime.Utc | undefined
}

export interface EventListRequest extends Slice {
  /** Null for the events of the deployment that concern no tenant. */
  readonly tenantId: string | null
  readonly filter: EventFilter
  readonly order: "NEWEST_FIRST" | "OLDEST_FIRST"
}

/** The events of a page. */
export interface EventSlice {
  /** At most `limit`; fewer, or none, when the repository had to read too many other events to find them. */
  readonly events: ReadonlyArray<Event>
  /** The id after which the list continues; null at its end. */
  readonly next: string | null
}

export class EventRepository extends Context.Service<
  EventRepository,
  {
    /** Lists events by id, which is the order of time. Reads a fixed number of events at most, besides those that it returns. */
    readonly list: (request: EventListRequest) => Effect.Effect<EventSlice, MetadataError>

    /**
     * Writes an event `request.refused` of a tenant, with the current `EventAuthor` and `CurrentRequest`. Writes none when there
     * is no such tenant.
     */
    readonly recordRefusal: (refusal: {
      readonly tenantId: string
      readonly detail: Detail
    }) => Effect.Effect<void, MetadataError>

    /**
     * Deletes at most `limit` events that are older than `before`, of one of the tenants after the id `after`. Skips events that
     * another process deletes at the same time. Returns the id `after` for the next call; null when there is nothing left.
     */
    readonly deleteOlder: (terms: {
      readonly before: DateTime.Utc
      /** At first an empty text. */
      readonly after: string
      readonly limit: number
    }) => Effect.Effect<{ readonly deleted: number; readonly next: string | null }, MetadataError>
  }
>()("@holdfast/core/events/EventRepository") {}
