/**
 * Work that waits in the whole deployment, as the database has it: alike on every node. It is looked at when the metrics are
 * asked for, and seldom enough to be no load.
 */
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"

export class Backlog extends Context.Service<
  Backlog,
  {
    /**
     * Brings the gauges up to date, unless that was done a moment ago. A gauge whose value is not to be had is taken away until
     * it is again: an old value would look like a fresh one.
     */
    readonly refresh: Effect.Effect<void>
  }
>()("@holdfast/http/server/metrics/Backlog") {}

/** What is looked at once is told for as long. */
const validFor = "10 seconds"

/** A database that does not answer by then has no answer. */
const patience = "2 seconds"

/** How much is counted: thousands are as good a reason for an alarm as millions, and counting those takes its time. */
const limit = 5000

const gauge = (name: string, description: string) =>
  Metric.gauge(name, { description: `${description} The whole deployment, alike on every node.` })

const queued = gauge(
  "holdfast_conversions_queued",
  `Conversions that wait for a worker, or to be tried again; at most ${limit} of either are counted.`
)
const leased = gauge(
  "holdfast_conversions_leased",
  `Conversions that a worker of some node has; at most ${limit} are counted.`
)
const pending = gauge(
  "holdfast_mirrors_pending_files",
  `Files that are still to be copied, or removed at a target, by mirrors that are not paused; at most ${limit} are counted.`
)
const failing = gauge("holdfast_mirrors_failing", "Mirrors in the state FAILING.")
const lag = gauge(
  "holdfast_mirrors_lag_seconds",
  `For how long the oldest pending file has waited; of more than ${limit} the oldest at both ends of each mirror's line.`
)

type Values = ReadonlyArray<readonly [gauge: Metric.Gauge<number>, value: number]>

/** Failures of the database are counted where they leave it. */
const refreshed = <E>(what: string, gauges: ReadonlyArray<Metric.Gauge<number>>, read: Effect.Effect<Values, E>) => {
  const remove = Effect.forEach(gauges, (one) => Metric.remove(one), { discard: true })
  return read.pipe(
    Effect.flatMap((values) => Effect.forEach(values, ([one, value]) => Metric.update(one, value), { discard: true })),
    Effect.catch((error) => Effect.andThen(remove, Effect.logWarning(`No metrics of waiting ${what}`, error))),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () =>
        Effect.andThen(remove, Effect.logWarning(`No metrics of waiting ${what}: the database does not answer`))
    })
  )
}

const make = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  const mirrors = yield* MirrorRepository
  const both = Effect.all(
    [
      refreshed(
        "conversions",
        [queued, leased],
        Effect.gen(function* () {
          const found = yield* conversions.queueDepth(yield* DateTime.now, limit)
          return [
            [queued, found.queued],
            [leased, found.leased]
          ] as const
        })
      ),
      refreshed(
        "mirrors",
        [pending, failing, lag],
        Effect.gen(function* () {
          const found = yield* mirrors.queueDepth(limit)
          const now = DateTime.toEpochMillis(yield* DateTime.now)
          // Clocks differ: a change may be of a time that has not come yet here.
          const waited = found.oldest === null ? 0 : Math.max(0, now - DateTime.toEpochMillis(found.oldest))
          return [
            [pending, found.pending],
            [failing, found.failing],
            [lag, waited / 1000]
          ] as const
        })
      )
    ],
    { concurrency: "unbounded", discard: true }
  )
  return Backlog.of({ refresh: yield* Effect.cachedWithTTL(both, validFor) })
})

/** `pushed`: whether somebody gets the metrics who does not ask for them, so that they have to be fresh by themselves. */
export const layer = ({
  pushed
}: {
  readonly pushed: boolean
}): Layer.Layer<Backlog, never, ConversionRepository | MirrorRepository> =>
  Layer.effect(
    Backlog,
    Effect.tap(make, ({ refresh }) =>
      pushed ? Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(validFor))) : Effect.void
    )
  )
