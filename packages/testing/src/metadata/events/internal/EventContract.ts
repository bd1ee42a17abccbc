/**
 * The contract of events: every repository method that changes something writes one event in its transaction, and
 * `EventRepository` lists and deletes them.
 */
import { expect } from "@effect/vitest"
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import type { EventActor } from "@holdfast/core/events/Event"
import { EventAuthor } from "@holdfast/core/events/EventAuthor"
import { type EventListRequest, EventRepository } from "@holdfast/core/events/EventRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import type { Metadata } from "@holdfast/core/Holdfast"
import type * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as MethodKinds from "./MethodKinds.ts"
import * as Writes from "./Writes.ts"

/** Returns all events of a tenant, oldest first. */
const listAll = (tenantId: string | null, filter: EventListRequest["filter"] = {}) =>
  Effect.flatMap(EventRepository, (events) =>
    Effect.map(events.list({ tenantId, filter, order: "OLDEST_FIRST", limit: 100_000 }), (slice) => slice.events)
  )

/** Returns the events that an effect adds for a tenant. */
const added = Effect.fnUntraced(function* <E, R>(tenantId: string | null, change: Effect.Effect<unknown, E, R>) {
  const before = new Set((yield* listAll(tenantId)).map(({ id }) => id))
  yield* change
  return (yield* listAll(tenantId)).filter(({ id }) => !before.has(id))
})

export const eventContract = (it: It): void => {
  it.effect("ports: every repository of the store → its methods are classified, and each write has a test", () =>
    Effect.contextWith((context: Context.Context<Metadata>) =>
      Effect.sync(() => {
        const repositories = [...context.mapUnsafe.keys()].filter((key) => /^@holdfast\/core\/.*Repository$/.test(key))
        expect(new Set(repositories)).toEqual(new Set(MethodKinds.ports.map(({ key }) => key)))
        expect(Object.keys(Writes.writes).toSorted()).toEqual([...MethodKinds.writes].toSorted())
      })
    )
  )

  for (const [method, { action, prepare }] of Object.entries(Writes.writes)) {
    it.effect(`${method}: change → one event ${action} with the actor, the request and the target`, () =>
      Effect.gen(function* () {
        const { bucketId = null, change, detail = {}, id, name, tenantId } = yield* prepare
        const actor: EventActor = { kind: "TOKEN", accountId: Sample.id("acc"), tokenId: Sample.id("tok") }
        const request = { requestId: `req_${Sample.word()}`, clientAddress: "192.0.2.1" }
        const began = Date.now()
        const events = yield* added(
          tenantId,
          change.pipe(Effect.provideService(EventAuthor, actor), Effect.provideService(CurrentRequest, request))
        )
        expect(events.map(({ at: _at, id: _id, ...event }) => event)).toMatchObject([
          { action, actor, bucketId, detail, target: { id, name }, ...request }
        ])
        const [event] = events
        expect(Object.keys(event?.detail ?? {})).toEqual(expect.arrayContaining(Object.keys(detail)))
        // Ids of one client may run ahead of the clock by some milliseconds.
        expect(Math.abs(DateTime.toEpochMillis(event?.at ?? Sample.at()) - began)).toBeLessThan(60_000)
      })
    )
  }

  it.effect("change without request and author → actor SYSTEM, no address and no request id", () =>
    Effect.gen(function* () {
      const { tenantId } = yield* Fixtures.bucket()
      expect(yield* listAll(tenantId, { action: "bucket." })).toMatchObject([
        {
          actor: { kind: "SYSTEM", accountId: null, tokenId: null },
          clientAddress: null,
          requestId: null,
          target: { type: "BUCKET" }
        }
      ])
    })
  )

  it.effect("change that fails or finds nothing → no event", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const files = yield* FileRepository
      const file = yield* Fixtures.store(bucket)
      const selector = Fixtures.byId(Sample.id("fil"))
      const namesake = Sample.file({ name: file.name, version: 1 })
      const content = Sample.content(yield* Fixtures.stage(bucket))
      const expired = Sample.content(Sample.id("blb"))
      const failures: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        files.insert(bucket, namesake),
        files.insert(bucket, { ...namesake, content }),
        files.insert(bucket, Sample.file({ version: 1, content: expired })),
        files.replaceContent({ bucket, fileId: file.id, content: expired, condition: {}, sweepAt: Sample.at() }),
        files.update({ bucket, selector, change: { name: "x" }, at: Sample.at() }),
        files.remove({ bucket, selector, condition: {}, sweepAt: Sample.at() })
      ]
      expect(
        yield* added(
          bucket.tenantId,
          Effect.forEach(failures, (failure) => Effect.flip(failure))
        )
      ).toEqual([])
    })
  )

  it.effect("list: filters and time → the matching events, also over several pages in both orders", () =>
    Effect.gen(function* () {
      const events = yield* EventRepository
      const bucket = yield* Fixtures.bucket()
      const other = yield* Fixtures.bucket(bucket.tenantId)
      const author: EventActor = { kind: "TOKEN", accountId: Sample.id("acc"), tokenId: Sample.id("tok") }
      const file = yield* Effect.provideService(Fixtures.store(bucket), EventAuthor, author)
      yield* Fixtures.store(other)
      const { tenantId } = bucket
      const all = yield* listAll(tenantId)
      expect(all.map(({ action }) => action)).toEqual([
        "tenant.created",
        "bucket.created",
        "bucket.created",
        "file.created",
        "file.created"
      ])
      const own = [all[3]]
      expect(yield* listAll(tenantId, { accountId: author.accountId ?? "" })).toEqual(own)
      expect(yield* listAll(tenantId, { tokenId: author.tokenId ?? "" })).toEqual(own)
      expect(yield* listAll(tenantId, { targetId: file.id })).toEqual(own)
      expect(yield* listAll(tenantId, { action: "file.", bucketId: bucket.bucketId })).toEqual(own)
      expect(yield* listAll(tenantId, { action: "bucket." })).toEqual(all.slice(1, 3))
      const first = all[0]?.at ?? Sample.at()
      expect(yield* listAll(tenantId, { from: DateTime.add(first, { hours: 1 }) })).toEqual([])
      expect(yield* listAll(tenantId, { to: first })).toEqual([])
      expect(yield* listAll(tenantId, { from: first })).toEqual(all)
      expect(yield* listAll(yield* Fixtures.tenant, { targetId: file.id })).toEqual([])

      for (const order of ["NEWEST_FIRST", "OLDEST_FIRST"] as const) {
        const found: Array<unknown> = []
        let after: string | undefined
        do {
          const page = yield* events.list({ tenantId, filter: {}, order, after, limit: 2 })
          found.push(...page.events)
          after = page.next ?? undefined
        } while (after !== undefined)
        expect(found).toEqual(order === "NEWEST_FIRST" ? all.toReversed() : all)
      }
    })
  )

  it.effect("recordRefusal: existing and unknown tenant → an event with outcome REFUSED; none", () =>
    Effect.gen(function* () {
      const events = yield* EventRepository
      const { tenantId } = yield* Fixtures.bucket()
      const detail = { count: 1 }
      expect(yield* added(tenantId, events.recordRefusal({ tenantId, detail }))).toHaveLength(1)
      const outcomes = (outcome: "SUCCESS" | "REFUSED") =>
        Effect.map(listAll(tenantId, { outcome }), (found) => found.map((event) => [event.outcome, event.action]))
      expect(yield* outcomes("REFUSED")).toEqual([["REFUSED", "request.refused"]])
      expect(yield* outcomes("SUCCESS")).toEqual([
        ["SUCCESS", "tenant.created"],
        ["SUCCESS", "bucket.created"]
      ])
      const unknown = Sample.id("ten")
      expect(yield* added(unknown, events.recordRefusal({ tenantId: unknown, detail }))).toEqual([])
    })
  )

  it.effect("deleteOlder: events of several tenants → all before the time, in batches; the others stay", () =>
    Effect.gen(function* () {
      const events = yield* EventRepository
      const tenants = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
      const counts = Effect.forEach(tenants, ({ tenantId }) => Effect.map(listAll(tenantId), ({ length }) => length))
      /** Deletes one event at a time; only those of these tenants, which have the greatest ids. */
      const clear = Effect.fnUntraced(function* (before: DateTime.Utc) {
        let after: string | null = `${tenants[0]?.tenantId.slice(0, -1)}`
        const batches: Array<number> = []
        while (after !== null) {
          const step: { readonly deleted: number; readonly next: string | null } = yield* events.deleteOlder({
            before,
            after,
            limit: 1
          })
          batches.push(step.deleted)
          after = step.next
        }
        return batches
      })
      yield* clear(Sample.at())
      expect(yield* counts).toEqual([2, 2])
      const batches = yield* clear(DateTime.add(yield* DateTime.now, { minutes: 1 }))
      expect(Math.max(...batches)).toBe(1)
      expect(yield* counts).toEqual([0, 0])
    })
  )
}
