import { expect, it } from "@effect/vitest"
import type { Refusal } from "@holdfast/core/access/CurrentRequest"
import { type EventListRequest, EventRepository } from "@holdfast/core/events/EventRepository"
import * as Refusals from "@holdfast/core/events/Refusals"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"

const layer = Refusals.layer.pipe(Layer.provideMerge(MemoryMetadata.layer))

const request = { clientAddress: "192.0.2.1", requestId: "req_1" }

/** A member of the tenant with a token of its own; `isStranger` for an account without membership. */
const makeRefusal = (tenantId: string, { isStranger = false } = {}): Refusal => ({
  tenantId,
  identity: {
    account: { id: Sample.id("acc"), email: "a@example.com" },
    credential: {
      id: Sample.id("tok"),
      tenantId: isStranger ? Sample.id("ten") : tenantId,
      expiresAt: null,
      revokedAt: null,
      scope: null,
      allowedOrigins: null
    },
    member: isStranger ? null : { id: Sample.id("mem"), role: "role_file_reader" }
  },
  cause: { reason: "forbidden", permission: "file:write" }
})

const filter: EventListRequest["filter"] = { outcome: "REFUSED" }

const listRefused = (tenantId: string) =>
  Effect.flatMap(EventRepository, (events) =>
    Effect.map(events.list({ tenantId, filter, order: "OLDEST_FIRST", limit: 1000 }), (slice) => slice.events)
  )

const countsOf = (tenantId: string) =>
  Effect.map(listRefused(tenantId), (events) => events.map(({ detail }) => Number(detail["count"])))

/** Lets the job run until the tenant has this many events. */
const awaitEvents = (tenantId: string, count: number) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("100 millis"), countsOf(tenantId)), {
    until: (counts) => counts.length >= count
  })

it.effect("1,000 refusals of one key → one event at once, the others counted in one event a minute later", () =>
  Effect.gen(function* () {
    const { record } = yield* Refusals.Refusals
    const tenantId = yield* Fixtures.tenant
    const refusal = makeRefusal(tenantId)
    record(refusal, request)
    yield* awaitEvents(tenantId, 1)
    for (let i = 0; i < 999; i++) record(refusal, request)
    yield* TestClock.adjust("50 seconds")
    expect(yield* countsOf(tenantId)).toEqual([1])
    expect(yield* awaitEvents(tenantId, 2)).toEqual([1, 999])
    const [event] = yield* listRefused(tenantId)
    expect(event).toMatchObject({
      action: "request.refused",
      outcome: "REFUSED",
      actor: { kind: "TOKEN", accountId: refusal.identity.account.id, tokenId: refusal.identity.credential?.id },
      target: { type: "TENANT", id: tenantId },
      ...request,
      detail: { reason: "forbidden", permission: "file:write", count: 1 }
    })
  }).pipe(Effect.provide(layer))
)

it.effect("refusals of many members, and of many strangers → at most 30 and 10 events at once", () =>
  Effect.gen(function* () {
    const { record } = yield* Refusals.Refusals
    const own = yield* Fixtures.tenant
    const visited = yield* Fixtures.tenant
    for (let i = 0; i < 200; i++) {
      record(makeRefusal(own), request)
      record(makeRefusal(visited, { isStranger: true }), request)
    }
    const began = yield* Clock.currentTimeMillis
    yield* awaitEvents(own, 30)
    yield* awaitEvents(visited, 10)
    const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000
    expect((yield* countsOf(own)).length).toBeLessThanOrEqual(30 + seconds / 2)
    expect((yield* countsOf(visited)).length).toBeLessThanOrEqual(10 + seconds / 6)
    // The members of the tenant are recorded all the same.
    const member = makeRefusal(visited)
    record(member, request)
    yield* Effect.repeat(Effect.andThen(TestClock.adjust("100 millis"), listRefused(visited)), {
      until: (events) => events.some(({ actor }) => actor.tokenId === member.identity.credential?.id)
    })
  }).pipe(Effect.provide(layer))
)

it.effect("stranger that names many tenants → refusals of others are recorded, none for unknown tenants", () =>
  Effect.gen(function* () {
    const { record } = yield* Refusals.Refusals
    const tenantId = yield* Fixtures.tenant
    const stranger = makeRefusal(tenantId, { isStranger: true })
    const unknown = Array.from({ length: 5000 }, () => Sample.id("ten"))
    for (const other of unknown) record({ ...stranger, tenantId: other }, request)
    record(makeRefusal(tenantId), request)
    yield* awaitEvents(tenantId, 1)
    expect(yield* countsOf(unknown[0] ?? "")).toEqual([])
  }).pipe(Effect.provide(layer))
)

it.effect("shutdown → the refusals since the latest event are written", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { record } = Context.get(yield* Layer.buildWithScope(Refusals.layer, scope), Refusals.Refusals)
    const tenantId = yield* Fixtures.tenant
    const refusal = makeRefusal(tenantId)
    for (let i = 0; i < 3; i++) record(refusal, request)
    yield* Scope.close(scope, Exit.void)
    expect(yield* countsOf(tenantId)).toEqual([3])
  }).pipe(Effect.provide(MemoryMetadata.layer))
)
