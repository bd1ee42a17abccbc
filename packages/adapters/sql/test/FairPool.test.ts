import { expect, it } from "@effect/vitest"
import { onBehalfOf } from "@holdfast/core/CurrentTenant"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as FairPool from "../src/FairPool.ts"

/** Starts work for a tenant that holds a connection until `end` or an interruption. Returns once the fiber runs or waits. */
const start = Effect.fnUntraced(function* (pool: FairPool.FairPool, tenant: string | undefined) {
  const end = yield* Deferred.make<void>()
  const work = { isRunning: false, end: Deferred.succeed(end, undefined) }
  const hold = pool.use(
    Effect.andThen(
      Effect.sync(() => void (work.isRunning = true)),
      Deferred.await(end)
    )
  )
  const fiber = yield* Effect.forkScoped(tenant === undefined ? hold : onBehalfOf(tenant)(hold), {
    startImmediately: true
  })
  return Object.assign(work, { fiber })
})

const startMany = (pool: FairPool.FairPool, tenant: string | undefined, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => start(pool, tenant))

const running = (works: ReadonlyArray<{ readonly isRunning: boolean }>): number =>
  works.filter(({ isRunning }) => isRunning).length

it.effect("use: one tenant has much work → holds half of the connections, others get one", () =>
  Effect.gen(function* () {
    const pool = FairPool.make({ size: 10 })
    const first = yield* startMany(pool, "a", 50)
    expect(running(first)).toBe(5)
    expect(running(yield* startMany(pool, "b", 50))).toBe(3)
    expect(running(yield* startMany(pool, "c", 50))).toBe(1)
    expect(running(yield* startMany(pool, "d", 1))).toBe(1)
    expect(running(yield* startMany(pool, "e", 1))).toBe(0)
  }).pipe(Effect.scoped)
)

it.effect("use: pool of one connection → tenants take turns", () =>
  Effect.gen(function* () {
    const pool = FairPool.make({ size: 1 })
    const a = yield* startMany(pool, "a", 3)
    const [b] = yield* startMany(pool, "b", 1)
    expect([running(a), b?.isRunning]).toEqual([1, false])
    yield* a[0]?.end ?? Effect.void
    yield* Effect.yieldNow
    expect([running(a), b?.isRunning]).toEqual([2, false])
    yield* a[1]?.end ?? Effect.void
    yield* Effect.yieldNow
    expect([running(a), b?.isRunning]).toEqual([2, true])
  }).pipe(Effect.scoped)
)

it.effect("use: work without a tenant → may hold all connections, unless it is limited", () =>
  Effect.gen(function* () {
    const pool = FairPool.make({ size: 4 })
    expect(running(yield* startMany(pool, undefined, 5))).toBe(4)
    const limited = FairPool.make({ size: 4, limitsUnowned: true })
    expect(running(yield* startMany(limited, undefined, 5))).toBe(2)
  }).pipe(Effect.scoped)
)

it.effect("use: waits for longer than the timeout → StatementTimeoutError, and its turn passes to the next", () =>
  Effect.gen(function* () {
    const pool = FairPool.make({ size: 1, timeout: "10 seconds" })
    const holder = yield* start(pool, "a")
    const late = yield* start(pool, "b")
    yield* TestClock.adjust("10 seconds")
    expect(yield* Effect.flip(Fiber.join(late.fiber))).toMatchObject({ reason: { _tag: "StatementTimeoutError" } })
    const next = yield* start(pool, "c")
    yield* holder.end
    yield* Fiber.join(holder.fiber)
    expect([late.isRunning, next.isRunning]).toEqual([false, true])
  }).pipe(Effect.scoped)
)

it.effect("use, acquire: interrupted while waiting or holding → the connection is free again", () =>
  Effect.gen(function* () {
    const pool = FairPool.make({ size: 1 })
    const [holder, waiting] = [yield* start(pool, "a"), yield* start(pool, "a")]
    yield* Fiber.interrupt(waiting.fiber)
    yield* Fiber.interrupt(holder.fiber)
    const scope = yield* Scope.make()
    yield* Scope.provide(pool.acquire, scope)
    const next = yield* start(pool, "b")
    expect(next.isRunning).toBe(false)
    yield* Scope.close(scope, yield* Effect.exit(Effect.void))
    yield* Effect.yieldNow
    expect(next.isRunning).toBe(true)
  }).pipe(Effect.scoped)
)
