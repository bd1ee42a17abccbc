import { assert, it } from "@effect/vitest"
import { MetadataError } from "@holdfast/core/MetadataError"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as QueueDepthMetrics from "../../src/server/metrics/QueueDepthMetrics.ts"

type Look = Effect.Effect<{ readonly queued: number; readonly leased: number }, MetadataError>

/** The gauges over a database that answers as a test says, and how often it was asked. */
const make = Effect.fnUntraced(function* (look: (turn: number) => Look, pushed = false) {
  let turns = 0
  const conversions = Layer.effect(
    ConversionRepository,
    Effect.map(ConversionRepository, (repository) =>
      ConversionRepository.of({ ...repository, queueDepth: () => Effect.suspend(() => look(++turns)) })
    )
  ).pipe(Layer.provide(MemoryMetadata.layer))
  const mirrors = Layer.effect(MirrorRepository, MirrorRepository).pipe(Layer.provide(MemoryMetadata.layer))
  const context = yield* Layer.build(QueueDepthMetrics.layer({ pushed }).pipe(Layer.provide([conversions, mirrors])))
  const { refresh } = yield* Effect.provideContext(QueueDepthMetrics.Backlog, context)
  const queued = Effect.map(Metric.snapshot, (all) => all.find(({ id }) => id === "holdfast_conversions_queued")?.state)
  const others = Effect.map(Metric.snapshot, (all) => all.filter(({ id }) => id.startsWith("holdfast_mirrors_")).length)
  return { refresh, queued, others, turns: () => turns }
})

const test = (name: string, body: () => Effect.Effect<void, MetadataError, Scope.Scope>) =>
  it.effect(name, () => Effect.provideService(body(), Metric.MetricRegistry, new Map()))

const found = (queued: number): Look => Effect.succeed({ queued, leased: 0 })
const failed: Look = Effect.fail(new MetadataError({ reason: "Unavailable", operation: "conversions.queueDepth" }))

test("the database is asked once in ten seconds, however often the metrics are", () =>
  Effect.gen(function* () {
    const { queued, refresh, turns } = yield* make(found)
    yield* Effect.all([refresh, refresh, refresh], { concurrency: "unbounded" })
    yield* TestClock.adjust("9999 millis")
    yield* refresh
    assert.deepEqual([turns(), yield* queued], [1, { value: 1 }])
    yield* TestClock.adjust("1 millis")
    yield* refresh
    yield* refresh
    assert.deepEqual([turns(), yield* queued], [2, { value: 2 }])
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(turns(), 2)
  }))

test("a value that is not to be had is absent until it is, and the others are there", () =>
  Effect.gen(function* () {
    const { others, queued, refresh } = yield* make((turn) => (turn === 2 ? failed : found(turn)))
    yield* refresh
    yield* TestClock.adjust("10 seconds")
    yield* refresh
    assert.deepEqual([yield* queued, yield* others], [undefined, 3])
    yield* TestClock.adjust("10 seconds")
    yield* refresh
    assert.deepEqual([yield* queued, yield* others], [{ value: 3 }, 3])
  }))

test("a database that does not answer holds nobody up for more than two seconds", () =>
  Effect.gen(function* () {
    const { others, queued, refresh, turns } = yield* make((turn) => (turn === 2 ? Effect.never : found(turn)))
    yield* refresh
    yield* TestClock.adjust("10 seconds")
    const waiting = yield* Effect.forkChild(refresh)
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(waiting)
    assert.deepEqual([turns(), yield* queued, yield* others], [2, undefined, 3])
  }))

test("they are kept up to date for those who do not ask", () =>
  Effect.gen(function* () {
    const { queued, turns } = yield* make(found, true)
    yield* TestClock.adjust("31 seconds")
    assert.deepEqual([turns(), yield* queued], [4, { value: 4 }])
  }))
