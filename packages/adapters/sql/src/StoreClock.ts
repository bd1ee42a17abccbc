/**
 * The time of a metadata store, as an Effect `Clock`.
 *
 * The clock counts on from a first reading by the machine's monotonic clock. A step of the machine's wall clock (by an
 * administrator, NTP or a hypervisor) therefore changes no lease, no grace period and no expiry at once.
 */
import type { MetadataError } from "@holdfast/core/MetadataError"
import { StoreTime } from "@holdfast/core/StoreTime"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Row from "./internal/Row.ts"
import * as Reads from "./Reads.ts"
import { operation } from "./SqlFailure.ts"

export interface Options {
  /** Returns the seconds since the machine started, suspensions included; the monotonic clock does not count them. */
  readonly uptime: () => number
}

export interface MachineOptions extends Options {
  /**
   * The offset of the clock of another process that uses the same database (`offsetOf`): the new clock shows the same time. That of the
   * machine's wall clock when absent.
   */
  readonly offset?: number | undefined
}

interface StoreClock extends StoreTime {
  /** Returns the time in milliseconds, as it is after the last move. */
  readonly read: () => number
  /** Moves the time by milliseconds. */
  readonly move: (by: number) => void
  /** Moves the time forward by a suspension of the machine since the last call. */
  readonly addSuspension: () => void
}

/** Milliseconds. A correction backwards by less makes the clock stand still until the time has caught up. */
const largestHold = 1000

/** Milliseconds of a suspension that is noticed. The uptime has a resolution of 10 ms. */
const smallestSuspension = 1000

const nanosPerMilli = 1_000_000

const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / nanosPerMilli

/**
 * Returns by how many milliseconds a clock is ahead of the machine's monotonic clock, which shows the same time to all processes.
 */
export const offsetOf = (clock: Clock.Clock): number => clock.currentTimeMillisUnsafe() - monotonicMillis(clock)

/** Makes a clock that shows the time of `base` at first, or the one of another clock with this offset. */
const make = (base: Clock.Clock, { offset: first, uptime }: MachineOptions): StoreClock => {
  const monotonic = () => monotonicMillis(base)
  const awake = () => uptime() * 1000 - monotonic()
  let beforeSuspension = awake()
  let offset = first ?? offsetOf(base)
  let last = -Infinity
  const read = () => monotonic() + offset
  const readForward = () => {
    const time = read()
    if (time > last || last - time > largestHold) last = time
    return last
  }
  const millis = () => Math.floor(readForward())
  const nanos = () => BigInt(Math.floor(readForward() * 1000)) * 1000n
  return {
    clock: {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: base.monotonicTimeNanos,
      sleep: (duration) => base.sleep(duration)
    },
    read,
    move: (by) => void (offset += by),
    addSuspension: () => {
      const suspended = awake() - beforeSuspension
      if (suspended < smallestSuspension) return
      offset += suspended
      beforeSuspension += suspended
    },
    skew: () => base.currentTimeMillisUnsafe() - read()
  }
}

/** Repeats an effect at an interval until the scope closes. */
const repeat = <R>(effect: Effect.Effect<void, never, R>, interval: Duration.Input) =>
  effect.pipe(Effect.delay(interval), Effect.forever, Effect.forkScoped)

/** The most by which a step of the machine's clock makes the time run faster or slower. Leases are renewed three times as often. */
const largestRate = 0.1

const adjustInterval = Duration.seconds(1)

/** Milliseconds between two times that count as a step and not as a correction of a clock that is kept synchronous. */
const smallestStep = 1000

/**
 * Follows the clock of the machine, for a database that only the processes of one service use. After a step of the machine's clock the
 * time runs at most a tenth faster or slower until both agree. A start of the service takes the time of the machine as it is: it
 * expires the leases of the former processes, and records keep their times. A process that starts beside others takes their time
 * (`offset`), because they have leases.
 */
export const layerMachine = (options: MachineOptions): Layer.Layer<never> =>
  Layer.effect(
    StoreTime,
    Effect.gen(function* () {
      const store = make(yield* Clock.Clock, options)
      let adjustedAt = store.read()
      let isApart = false
      const adjust = Effect.gen(function* () {
        store.addSuspension()
        const limit = largestRate * Math.max(0, store.read() - adjustedAt)
        const skew = store.skew()
        const isStep = Math.abs(skew) >= smallestStep
        store.move(Math.min(limit, Math.max(-limit, skew)))
        adjustedAt = store.read()
        if (isStep && !isApart) {
          yield* Effect.logWarning(
            "clock of the machine stepped; the service follows it slowly, or at once after a restart"
          ).pipe(Effect.annotateLogs({ seconds: skew / 1000 }))
        }
        isApart = isStep
      })
      yield* repeat(adjust, adjustInterval)
      return store
    })
  )

const measureInterval = Duration.seconds(2)

/** Measurements at the start. The shortest one has the narrowest bounds. */
const firstMeasurements = 5

/**
 * Follows the time of a server, which all nodes share. `measure` reads it, in milliseconds since 1970.
 *
 * A measurement proves that the server's time minus the time that the clock shows lies between two bounds, which are as far apart as
 * the measurement took. The clock moves into these bounds if it is outside of them, so that a slow answer does not make it worse.
 * Between two measurements, and without an answer, it continues by the machine's monotonic clock.
 */
export const layerFollowing = <E>(measure: Effect.Effect<number, E>, options: Options): Layer.Layer<never, E> =>
  Layer.effect(
    StoreTime,
    Effect.gen(function* () {
      const store = make(yield* Clock.Clock, options)
      const measureBounds = Effect.gen(function* () {
        store.addSuspension()
        const begin = store.read()
        const time = yield* measure
        return { least: time - store.read(), most: time - begin }
      })
      // On a busy machine a first statement may exceed its timeout.
      let best = yield* Effect.retry(measureBounds, { times: firstMeasurements })
      for (let count = 1; count < firstMeasurements; count++) {
        const bounds = yield* Effect.orElseSucceed(measureBounds, () => best)
        if (bounds.most - bounds.least < best.most - best.least) best = bounds
      }
      store.move((best.least + best.most) / 2)

      const follow = Effect.gen(function* () {
        const { least, most } = yield* measureBounds
        const by = least > 0 ? least : Math.min(0, most)
        store.move(by)
        if (Math.abs(by) < smallestStep) return
        yield* Effect.logWarning("time of the database stepped").pipe(Effect.annotateLogs({ seconds: by / 1000 }))
      })
      yield* repeat(Effect.ignore(follow), measureInterval)
      return store
    })
  )

/** Reads the time of a PostgreSQL server, in milliseconds since 1970. */
const readServer = Effect.gen(function* () {
  const read = yield* Reads.make(yield* SqlClient)
  return read((sql) => sql`SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) AS micros`).pipe(
    Row.all((row) => Row.int(row, "micros") / 1000),
    Effect.map(([time = NaN]) => time),
    operation("clock.read")
  )
})

/** Follows the time of a PostgreSQL server. */
export const layerServer = (options: Options): Layer.Layer<never, MetadataError, SqlClient> =>
  Layer.unwrap(Effect.map(readServer, (measure) => layerFollowing(measure, options)))
