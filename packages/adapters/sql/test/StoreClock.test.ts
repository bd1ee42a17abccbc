import { describe, expect, it } from "@effect/vitest"
import { StoreTime } from "@holdfast/core/StoreTime"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as StoreClock from "../src/StoreClock.ts"

const minutes = 60_000

interface Machine {
  /** Milliseconds by which the wall clock was stepped. */
  step: number
  /** Milliseconds of suspensions, which the monotonic clock does not count. */
  suspended: number
  /** Milliseconds that passed besides those of `TestClock`. */
  passed: number
  /** As `os.uptime`. */
  readonly uptime: () => number
}

/** Provides the time of a store over the clock of a machine to `use`. */
const withMachine = <A, E, E2>(
  layer: (machine: Machine) => Layer.Layer<never, E>,
  use: (time: StoreTime, machine: Machine, clock: Clock.Clock) => Effect.Effect<A, E2>
): Effect.Effect<A, E | E2> =>
  Effect.gen(function* () {
    const test = yield* Clock.Clock
    const awake = () => test.currentTimeMillisUnsafe() + machine.passed
    const machine: Machine = {
      step: 0,
      suspended: 0,
      passed: 0,
      uptime: () => (awake() + machine.suspended) / 1000
    }
    const millis = () => awake() + machine.suspended + machine.step
    const nanos = (milliseconds: number) => BigInt(milliseconds) * 1_000_000n
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: () => nanos(millis()),
      currentTimeNanos: Effect.sync(() => nanos(millis())),
      monotonicTimeNanosUnsafe: () => nanos(awake()),
      monotonicTimeNanos: Effect.sync(() => nanos(awake())),
      sleep: (duration) => test.sleep(duration)
    }
    const run = Effect.gen(function* () {
      const time = yield* StoreTime
      return time === undefined ? yield* Effect.die("The layer provides no time.") : yield* use(time, machine, clock)
    })
    return yield* Effect.provide(run, Layer.provide(layer(machine), Layer.succeed(Clock.Clock, clock)))
  })

describe("machine", () => {
  const onMachine = <A, E>(use: (time: StoreTime, machine: Machine, clock: Clock.Clock) => Effect.Effect<A, E>) =>
    withMachine(StoreClock.layerMachine, use)

  it.effect("clock steps forward → the time runs a tenth faster until it agrees", () =>
    onMachine(
      Effect.fnUntraced(function* ({ clock, skew }, machine) {
        machine.step = 10 * minutes
        expect(clock.currentTimeMillisUnsafe()).toBe(0)
        yield* TestClock.adjust("1 minute")
        expect(clock.currentTimeMillisUnsafe()).toBe(1.1 * minutes)
        expect(skew()).toBeCloseTo(9.9 * minutes)
        yield* TestClock.adjust("2 hours")
        expect(clock.currentTimeMillisUnsafe()).toBe(131 * minutes)
        expect(skew()).toBeCloseTo(0)
      })
    )
  )

  it.effect("clock steps back → the time runs a tenth slower until it agrees, and never backwards", () =>
    onMachine(
      Effect.fnUntraced(function* ({ clock, skew }, machine) {
        yield* TestClock.adjust("1 hour")
        machine.step = -10 * minutes
        let last = clock.currentTimeMillisUnsafe()
        for (let second = 0; second < 60; second++) {
          yield* TestClock.adjust("1 second")
          expect(clock.currentTimeMillisUnsafe()).toBeGreaterThanOrEqual(last)
          last = clock.currentTimeMillisUnsafe()
        }
        expect(last).toBe(60 * minutes + 0.9 * minutes)
        yield* TestClock.adjust("2 hours")
        expect(skew()).toBeCloseTo(0)
      })
    )
  )

  it.effect(
    "another process starts after a step → its clock shows the same time, and follows the machine as slowly",
    () =>
      onMachine(
        Effect.fnUntraced(function* ({ clock }, machine, wallClock) {
          machine.step = 10 * minutes
          yield* TestClock.adjust("30 seconds")
          const layer = StoreClock.layerMachine({ uptime: machine.uptime, offset: StoreClock.offsetOf(clock) })
          const other = yield* Effect.map(
            Layer.build(Layer.provide(layer, Layer.succeed(Clock.Clock, wallClock))),
            (context) => Context.get(context, StoreTime)
          )
          expect(other?.clock.currentTimeMillisUnsafe()).toBe(clock.currentTimeMillisUnsafe())
          yield* TestClock.adjust("30 seconds")
          expect(other?.clock.currentTimeMillisUnsafe()).toBe(1.1 * minutes)
        }, Effect.scoped)
      )
  )

  it.effect("machine suspended → the time includes the suspension at once", () =>
    onMachine(
      Effect.fnUntraced(function* ({ clock }, machine) {
        machine.suspended = 8 * 60 * minutes
        yield* TestClock.adjust("1 second")
        expect(clock.currentTimeMillisUnsafe()).toBe(8 * 60 * minutes + 1000)
      })
    )
  )
})

describe("server", () => {
  /** A server whose time is ahead of the machine's. A request takes `there` milliseconds to it, and an answer `back`. */
  const makeServer = () => {
    const server = { ahead: 10 * minutes, there: 5, back: 5, isDown: false }
    const timeAt = (machine: Machine) => machine.uptime() * 1000 + server.ahead
    const layer = (machine: Machine) =>
      StoreClock.layerFollowing(
        Effect.suspend(() => {
          if (server.isDown) return Effect.fail("down")
          machine.passed += server.there
          const time = timeAt(machine)
          machine.passed += server.back
          return Effect.succeed(time)
        }),
        machine
      )
    return { server, layer, timeAt }
  }

  it.effect("server ahead of the machine, whose clock steps → the server's time", () => {
    const { layer, timeAt } = makeServer()
    return withMachine(
      layer,
      Effect.fnUntraced(function* ({ clock, skew }, machine) {
        expect(clock.currentTimeMillisUnsafe()).toBe(timeAt(machine))
        expect(skew()).toBe(-10 * minutes)
        machine.step = 60 * minutes
        expect(clock.currentTimeMillisUnsafe()).toBe(timeAt(machine))
        yield* TestClock.adjust("1 hour")
        expect(clock.currentTimeMillisUnsafe()).toBe(timeAt(machine))
        expect(skew()).toBe(50 * minutes)
      })
    )
  })

  it.effect("time of the server steps → followed within two seconds, forward and back", () => {
    const { layer, server, timeAt } = makeServer()
    return withMachine(
      layer,
      Effect.fnUntraced(function* ({ clock }, machine) {
        for (const ahead of [20, -20]) {
          server.ahead = ahead * minutes
          yield* TestClock.adjust("2 seconds")
          expect(Math.abs(clock.currentTimeMillisUnsafe() - timeAt(machine))).toBeLessThanOrEqual(5)
        }
      })
    )
  })

  it.effect("answers become slow in one direction → the time stays as it was", () => {
    const { layer, server, timeAt } = makeServer()
    return withMachine(
      layer,
      Effect.fnUntraced(function* ({ clock }, machine) {
        for (const [there, back] of [
          [900, 5],
          [5, 900]
        ] as const) {
          Object.assign(server, { there, back })
          yield* TestClock.adjust("10 seconds")
          expect(clock.currentTimeMillisUnsafe()).toBe(timeAt(machine))
        }
      })
    )
  })

  it.effect("server does not answer → the time continues, suspensions included once it answers again", () => {
    const { layer, server, timeAt } = makeServer()
    return withMachine(
      layer,
      Effect.fnUntraced(function* ({ clock }, machine) {
        server.isDown = true
        yield* TestClock.adjust("1 hour")
        expect(clock.currentTimeMillisUnsafe()).toBe(timeAt(machine))
        machine.suspended = 60 * minutes
        server.isDown = false
        yield* TestClock.adjust("2 seconds")
        expect(clock.currentTimeMillisUnsafe()).toBe(timeAt(machine))
      })
    )
  })

  it.effect("server does not answer at the start → the failure", () => {
    const { layer, server } = makeServer()
    server.isDown = true
    return Effect.map(Effect.flip(withMachine(layer, () => Effect.void)), (error) => expect(error).toBe("down"))
  })
})
