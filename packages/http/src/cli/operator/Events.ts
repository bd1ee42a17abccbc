/**
 * `holdfast events`: lists and exports events, without a service.
 */
import * as Access from "@holdfast/core/access/Access"
import * as Actor from "@holdfast/core/Actor"
import * as Event from "@holdfast/core/events/Event"
import * as Events from "@holdfast/core/events/Events"
import * as Page from "@holdfast/core/Page"
import * as StoreTime from "@holdfast/core/StoreTime"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as Output from "../terminal/Output.ts"

/** Whose events, and which. Null for the events of the deployment that concern no tenant. */
export interface Query extends Events.Filter {
  readonly tenantId: string | null
}

export interface ListOptions extends Query {
  readonly limit: number
  readonly json: boolean
}

export interface ExportOptions extends Query {
  readonly after: string | undefined
}

/** The event service only. It opens the metadata, which several processes may share, and not the blob store. */
const services = (settings: MetadataLayer.MetadataSettings) =>
  Events.layer.pipe(
    Layer.provide(Access.layer),
    Layer.provideMerge(StoreTime.layerClock),
    Layer.provide(MetadataLayer.layer(settings))
  )

const heading = ["TIME", "ACTION", "ACTOR", "TARGET", "ADDRESS"]

const toCells = ({ action, actor, at, clientAddress, target }: Event.Event): ReadonlyArray<string> => [
  DateTime.formatIso(at),
  action,
  actor.tokenId ?? actor.accountId ?? actor.kind,
  [target.id, target.name].flatMap((text) => (text === null ? [] : [Output.printable(text)])).join(" ") || "-",
  clientAddress ?? "-"
]

/** Returns the newest events, of as many pages as it takes: with a filter a page may have none. */
const findNewest = Effect.fnUntraced(function* ({ limit, tenantId, ...filter }: Query & { readonly limit: number }) {
  const { list } = yield* Events.Events
  const found: Array<Event.Event> = []
  let cursor: string | null = null
  do {
    const page: Page.Page<Event.Event> = yield* list(Actor.system, tenantId, {
      ...filter,
      limit: Math.min(limit - found.length, Page.maxLimit),
      cursor: cursor ?? undefined
    })
    found.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null && found.length < limit)
  return found
})

/** Prints the newest events. */
export const list = (settings: MetadataLayer.MetadataSettings, { json, ...query }: ListOptions) =>
  Effect.gen(function* () {
    const found = yield* findNewest(query)
    if (!json) return yield* Output.writeLine(Output.table([heading, ...found.map(toCells)]))
    yield* Effect.forEach(found, (event) => Output.writeLine(Event.toJson(event)), { discard: true })
  }).pipe(Effect.provide(services(settings)))

/** Prints all events, the oldest first. */
export const exportAll = (settings: MetadataLayer.MetadataSettings, { tenantId, ...request }: ExportOptions) =>
  Effect.gen(function* () {
    const events = yield* Events.Events
    const exported = yield* events.export(Actor.system, tenantId, request)
    yield* Stream.runForEach(exported, (event) => Output.writeLine(Event.toJson(event)))
  }).pipe(Effect.provide(services(settings)))
