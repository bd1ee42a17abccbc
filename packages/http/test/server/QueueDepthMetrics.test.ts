import { assert, it } from "@effect/vitest"
import { MetadataError } from "@holdfast/core/MetadataError"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as QueueDepthMetrics from "@holdfast/core/metrics/QueueDepthMetrics"

type Query = Effect.Effect<{ readonly queued: number; readonly leased: number }, MetadataError>

/** Builds the gauges over a database that answers with `query`, and counts the queries. */
const make = Effect.fnUntraced(function* (query: (count: number) => Query, pushed = false) {
  let queries = 0
  const conversions = Layer.effect(
    ConversionRepository,
    Effect.map(ConversionRepository, (repository) =>
      ConversionRepository.of({ ...repository, queueDepth: () => Effect.suspend(() => query(++queries)) })
    )
  ).pipe(Layer.provide(MemoryMetadata.layer))
  const context = yield* Layer.build(
    QueueDepthMetrics.layer({ pushed }).pipe(Layer.provide(conversions), Layer.provide(MemoryMetadata.layer))
  )
  const { refresh } = yield* Effect.provideContext(QueueDepthMetrics.QueueDepthMetrics, context)
  const queued = Effect.map(Metric.snapshot, (all) => all.find(({ id }) => id === "holdfast_conversions_queued")?.state)
  const others = Effect.map(Metric.snapshot, (all) => all.filter(({ id }) => id.startsWith("holdfast_mirrors_")).length)
  return { refresh, queued, others, queries: () => queries }
})

const test = (name: string, body: () => Effect.Effect<void, MetadataError, Scope.Scope>) =>
  it.effect(name, () => Effect.provideService(body(), Metric.MetricRegistry, new Map()))

const found = (queued: number): Query => Effect.succeed({ queued, leased: 0 })
const failed: Query = Effect.fail(new MetadataError({ reason: "Unavailable", operation: "conversions.queueDepth" }))

test("QueueDepthMetrics: several refreshes within ten seconds → one query", () =>
  Effect.gen(function* () {
    const { queries, queued, refresh } = yield* make(found)
    yield* Effect.all([refresh, refresh, refresh], { concurrency: "unbounded" })
    yield* TestClock.adjust("9999 millis")
    yield* refresh
    assert.deepEqual([queries(), yield* queued], [1, { value: 1 }])
    yield* TestClock.adjust("1 millis")
    yield* refresh
    yield* refresh
    assert.deepEqual([queries(), yield* queued], [2, { value: 2 }])
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(queries(), 2)
  }))

test("QueueDepthMetrics: one query fails → its gauges absent until it succeeds; the others present", () =>
  Effect.gen(function* () {
    const { others, queued, refresh } = yield* make((count) => (count === 2 ? failed : found(count)))
    yield* refresh
    yield* TestClock.adjust("10 seconds")
    yield* refresh
    assert.deepEqual([yield* queued, yield* others], [undefined, 3])
    yield* TestClock.adjust("10 seconds")
    yield* refresh
    assert.deepEqual([yield* queued, yield* others], [{ value: 3 }, 3])
  }))

test("QueueDepthMetrics: database does not answer → refresh ends after two seconds without its gauges", () =>
  Effect.gen(function* () {
    const { others, queries, queued, refresh } = yield* make((count) => (count === 2 ? Effect.never : found(count)))
    yield* refresh
    yield* TestClock.adjust("10 seconds")
    const waiting = yield* Effect.forkChild(refresh)
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(waiting)
    assert.deepEqual([queries(), yield* queued, yield* others], [2, undefined, 3])
  }))

test("QueueDepthMetrics: pushed → refreshed every ten seconds", () =>
  Effect.gen(function* () {
    const { queries, queued } = yield* make(found, true)
    yield* TestClock.adjust("31 seconds")
    assert.deepEqual([queries(), yield* queued], [4, { value: 4 }])
  }))
