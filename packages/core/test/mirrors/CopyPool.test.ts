import { assert, describe, it } from "@effect/vitest"
import * as CopyPool from "../../src/mirrors/worker/internal/CopyPool.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

/** Returns the mirror of an id, whose first letter names its tenant. */
const mirrorOf = (id: string): CopyPool.Owner => ({ id, tenantId: id.slice(0, 1) })

/** Runs a copy that lasts until `finish`; `started` has the names of all copies that got a slot. */
const makeStart = (pool: ReturnType<typeof CopyPool.make>) => {
  const started: Array<string> = []
  const start = Effect.fnUntraced(function* (mirrorId: string, isProbe = false) {
    const mirror = mirrorOf(mirrorId)
    const done = yield* Deferred.make<void>()
    let report: CopyPool.Report = { sent: () => {}, responded: () => {} }
    const fiber = yield* Effect.forkChild(
      pool.run({ mirror, isProbe }, (ofCopy) => {
        started.push(mirrorId)
        report = ofCopy
        return Deferred.await(done)
      }),
      { startImmediately: true }
    )
    return {
      fiber,
      report: () => report,
      finish: Effect.andThen(Deferred.succeed(done, undefined), Fiber.await(fiber))
    }
  })
  return { started, start }
}

describe("CopyPool", () => {
  it.effect("run: more copies of one mirror than slotsPerMirror → the others wait", () =>
    Effect.gen(function* () {
      const pool = CopyPool.make({ concurrency: 8, slotsPerMirror: 2 })
      const { start, started } = makeStart(pool)
      const first = yield* start("a")
      yield* start("a")
      assert.isFalse(pool.hasFreeSlot(mirrorOf("a"), 0))
      yield* start("a")
      assert.deepStrictEqual(started, ["a", "a"])
      yield* first.finish
      assert.deepStrictEqual(started, ["a", "a", "a"])
    })
  )

  it.effect("hasFreeSlot: a quarter of the slots → only for tenants without slots", () =>
    Effect.gen(function* () {
      const pool = CopyPool.make({ concurrency: 4, slotsPerMirror: 4 })
      const { start, started } = makeStart(pool)
      for (const _ of [1, 2, 3, 4]) yield* start("a")
      assert.deepStrictEqual(started, ["a", "a", "a"])
      assert.isFalse(pool.hasFreeSlot(mirrorOf("a"), 0))
      assert.isTrue(pool.hasFreeSlot(mirrorOf("b"), 0))
      yield* start("b")
      assert.deepStrictEqual(started, ["a", "a", "a", "b"])
      assert.isFalse(pool.hasFreeSlot(mirrorOf("c"), 0))
    })
  )

  it.effect(
    "run: tenant with many mirrors → three quarters of the slots; each further tenant gets some of the rest",
    () =>
      Effect.gen(function* () {
        const pool = CopyPool.make({ concurrency: 16, slotsPerMirror: 8 })
        const { start, started } = makeStart(pool)
        for (let index = 0; index < 24; index++) yield* start(`a${index}`)
        assert.lengthOf(started, 12)
        for (let index = 0; index < 4; index++) yield* start(`b${index}`)
        yield* start("c")
        assert.deepStrictEqual(started.slice(12), ["b0", "b1", "b2", "c"])
      })
  )

  it.effect("run: several tenants wait → the one with the fewest slots is next, whatever its number of mirrors", () =>
    Effect.gen(function* () {
      const pool = CopyPool.make({ concurrency: 3, slotsPerMirror: 3 })
      const { start, started } = makeStart(pool)
      const first = yield* start("a0")
      yield* start("a1")
      yield* start("b")
      for (let index = 2; index < 9; index++) yield* start(`a${index}`)
      yield* start("b")
      yield* first.finish
      assert.deepStrictEqual(started, ["a0", "a1", "b", "a2"])
    })
  )

  it.effect("run: several mirrors wait → the one with the fewest slots is next", () =>
    Effect.gen(function* () {
      const pool = CopyPool.make({ concurrency: 3, slotsPerMirror: 3 })
      const { start, started } = makeStart(pool)
      yield* start("a")
      yield* start("a")
      const last = yield* start("b")
      yield* start("a")
      yield* start("b")
      assert.deepStrictEqual(started, ["a", "a", "b"])
      yield* last.finish
      assert.deepStrictEqual(started, ["a", "a", "b", "b"])
    })
  )

  it.effect("run: no slot within a second → interrupted; a probe → waits without limit", () =>
    Effect.gen(function* () {
      const pool = CopyPool.make({ concurrency: 1, slotsPerMirror: 1 })
      const { start, started } = makeStart(pool)
      const first = yield* start("a")
      const [ordinary, probe] = [yield* start("b"), yield* start("c", true)]
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(ordinary.fiber)))
      yield* first.finish
      assert.deepStrictEqual(started, ["a", "c"])
      yield* probe.finish
      assert.isTrue(pool.hasFreeSlot(mirrorOf("a"), 0))
    })
  )

  it.effect("interruptWaiting: waiting copies of the mirror → interrupted; running ones and probes → not", () =>
    Effect.gen(function* () {
      const pool = CopyPool.make({ concurrency: 1, slotsPerMirror: 1 })
      const { start, started } = makeStart(pool)
      const running = yield* start("a")
      const [waiting, probe, other] = [yield* start("a"), yield* start("a", true), yield* start("b")]
      pool.interruptWaiting("a")
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(waiting.fiber)))
      yield* running.finish
      yield* probe.finish
      yield* other.finish
      assert.deepStrictEqual(started, ["a", "a", "b"])
    })
  )

  it.effect("run: targets of other tenants do not respond → a tenant without a slot takes one after five seconds", () =>
    Effect.gen(function* () {
      const pool = CopyPool.make({ concurrency: 4, slotsPerMirror: 4 })
      const { start, started } = makeStart(pool)
      const silent = yield* Effect.forEach(["a0", "a1", "a2", "b"], (id) =>
        Effect.tap(start(id), TestClock.adjust("1 millis"))
      )
      yield* TestClock.adjust("4 seconds")
      const early = yield* start("c")
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(early.fiber)))
      assert.isTrue(pool.hasFreeSlot(mirrorOf("c"), 6000))
      const copy = yield* start("c")
      // Of the tenant with the most slots, the copy that began last.
      const lost = Exit.findErrorOption(yield* Fiber.await(silent[2]?.fiber ?? copy.fiber))
      assert.deepInclude(Option.getOrThrow(lost), { reason: "Unavailable" })
      assert.deepStrictEqual(started, ["a0", "a1", "a2", "b", "c"])
      // A tenant that has a slot takes no further one, nor does one whose target was slow.
      assert.isFalse(pool.hasFreeSlot(mirrorOf("b"), 6000))
      yield* copy.finish
      yield* Effect.forEach(["d", "a3"], (id) => start(id))
      assert.deepStrictEqual(started.slice(5), ["d"])
      assert.isFalse(pool.hasFreeSlot(mirrorOf("a"), 20_000))
    })
  )

  it.effect(
    "run: target that has responded, slow line, last slot of a mirror that has copied before → keep their slots",
    () =>
      Effect.gen(function* () {
        const pool = CopyPool.make({ concurrency: 3, slotsPerMirror: 3 })
        const { start } = makeStart(pool)
        yield* Effect.flatMap(start("a"), ({ finish }) => finish)
        yield* start("a")
        const [responding, sending] = [yield* start("b"), yield* start("c")]
        responding.report().responded()
        // At 512 KiB per second, 20 seconds more.
        sending.report().sent(10 * 1024 ** 2)
        yield* TestClock.adjust("24 seconds")
        assert.isFalse(pool.hasFreeSlot(mirrorOf("d"), 24_000))
        yield* TestClock.adjust("2 seconds")
        yield* start("d")
        assert.isTrue(Exit.isFailure(yield* Fiber.await(sending.fiber)))
        assert.isFalse(pool.hasFreeSlot(mirrorOf("e"), 30_000))
      })
  )

  it.effect("run: more bytes sent than clients collect → the target has responded", () =>
    Effect.gen(function* () {
      const pool = CopyPool.make({ concurrency: 1, slotsPerMirror: 1 })
      const { start } = makeStart(pool)
      const copy = yield* start("a")
      copy.report().sent(33 * 1024 ** 2)
      yield* TestClock.adjust("10 minutes")
      assert.isFalse(pool.hasFreeSlot(mirrorOf("b"), 600_000))
    })
  )

  it.effect(
    "run: a slot that was taken is not free yet → its taker takes no further one; a probe takes one later",
    () =>
      Effect.gen(function* () {
        const pool = CopyPool.make({ concurrency: 2, slotsPerMirror: 2 })
        const ended = yield* Deferred.make<void>()
        const started: Array<string> = []
        const begin = (id: string, isProbe = false) =>
          Effect.forkChild(
            pool.run({ mirror: mirrorOf(id), isProbe }, () => {
              started.push(id)
              return Effect.onInterrupt(Effect.never, () => Deferred.await(ended))
            }),
            { startImmediately: true }
          )
        yield* begin("a")
        yield* begin("b")
        const probe = yield* begin("c", true)
        yield* TestClock.adjust("12 seconds")
        assert.isFalse(pool.hasFreeSlot(mirrorOf("c"), 12_000))
        assert.isTrue(pool.hasFreeSlot(mirrorOf("d"), 12_000))
        yield* Deferred.succeed(ended, undefined)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(started, ["a", "b", "c"])
        yield* Fiber.interrupt(probe)
      })
  )
})
