/**
 * Gauges of the pending work and of the reached limits of the whole deployment. They are read from the database, so that every node reports the
 * same values. The database is queried only when the metrics are collected, and at most once in ten seconds.
 */
import { MirrorRepository } from "../mirrors/MirrorRepository.ts"
import { ConversionRepository } from "../conversions/ConversionRepository.ts"
import { QuotaRepository } from "../quotas/QuotaRepository.ts"
import { UsageRepository } from "../usage/UsageRepository.ts"
import { DeliveryRepository } from "../webhooks/DeliveryRepository.ts"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"

export class QueueDepthMetrics extends Context.Service<
  QueueDepthMetrics,
  {
    /**
     * Updates the gauges unless they were updated less than ten seconds ago. A gauge whose value cannot be read is
     * removed until it can: a stale value would look like a current one.
     */
    readonly refresh: Effect.Effect<void>
  }
>()("@holdfast/core/metrics/QueueDepthMetrics") {}

/** How long a value is reported before the database is queried again. */
const validity = "10 seconds"

/** How long the database may take to answer. */
const queryTimeout = "2 seconds"

/** Maximum count. Thousands of pending tasks justify an alert as much as millions do, and counting millions is slow. */
const limit = 5000

const gauge = (name: string, description: string) =>
  Metric.gauge(name, { description: `${description} The whole deployment, alike on every node.` })

const queued = gauge(
  "holdfast_conversions_queued",
  `Conversions that wait for a worker or for a retry; at most ${limit} of either are counted.`
)
const leased = gauge(
  "holdfast_conversions_leased",
  `Conversions that a worker of some node has leased; at most ${limit} are counted.`
)
const pending = gauge(
  "holdfast_mirrors_pending_files",
  `Files that mirrors have yet to copy, or to remove at their targets, without paused mirrors; at most ${limit} are counted.`
)
const failing = gauge("holdfast_mirrors_failing", "Mirrors in the state FAILING.")
const lag = gauge(
  "holdfast_mirrors_lag_seconds",
  `Age of the oldest pending file. If more than ${limit} files are pending, only both ends of each mirror's queue are searched.`
)
const deliveries = gauge(
  "holdfast_webhooks_pending_deliveries",
  `Deliveries of webhooks that wait for an attempt, also of DISABLED ones; at most ${limit} are counted.`
)
const nearLimit = gauge(
  "holdfast_tenants_near_limit",
  `Tenants that use 80 % or more of a limit of their own or of a bucket; at most ${limit} such limits are counted.`
)
const atLimit = gauge(
  "holdfast_tenants_at_limit",
  `Tenants of whom a request was refused by such a limit; at most ${limit} of them are counted.`
)
const drifts = gauge(
  "holdfast_usage_drifts",
  `Tenants and buckets whose usage counters the last fsck found wrong and did not repair; at most ${limit} are counted.`
)

type Values = ReadonlyArray<readonly [gauge: Metric.Gauge<number>, value: number]>

/**
 * Updates gauges, or removes them if `read` fails or takes too long. `PortMetrics` counts the failures of the database.
 */
const refreshGauges = <E>(
  name: string,
  gauges: ReadonlyArray<Metric.Gauge<number>>,
  read: Effect.Effect<Values, E>
) => {
  const remove = Effect.forEach(gauges, (one) => Metric.remove(one), { discard: true })
  return read.pipe(
    Effect.flatMap((values) => Effect.forEach(values, ([one, value]) => Metric.update(one, value), { discard: true })),
    Effect.catch((error) => Effect.andThen(remove, Effect.logWarning(`queue depth of ${name} unknown`, error))),
    Effect.timeoutOrElse({
      duration: queryTimeout,
      orElse: () =>
        Effect.andThen(
          remove,
          Effect.annotateLogs(Effect.logWarning(`queue depth of ${name} unknown: database timeout`), {
            timeout: queryTimeout
          })
        )
    })
  )
}

const make = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  const mirrors = yield* MirrorRepository
  const webhooks = yield* DeliveryRepository
  const quotas = yield* QuotaRepository
  const usage = yield* UsageRepository
  const refreshAll = Effect.all(
    [
      refreshGauges(
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
      refreshGauges(
        "mirrors",
        [pending, failing, lag],
        Effect.gen(function* () {
          const found = yield* mirrors.queueDepth(limit)
          const now = DateTime.toEpochMillis(yield* DateTime.now)
          // The node that recorded the change may have a clock ahead of this one's.
          const age = found.oldest === null ? 0 : Math.max(0, now - DateTime.toEpochMillis(found.oldest))
          return [
            [pending, found.pending],
            [failing, found.failing],
            [lag, age / 1000]
          ] as const
        })
      ),
      refreshGauges(
        "limits",
        [nearLimit, atLimit, drifts],
        Effect.gen(function* () {
          const { near, reached } = yield* quotas.countReached(limit)
          return [
            [nearLimit, near],
            [atLimit, reached],
            [drifts, yield* usage.countDrifts(limit)]
          ] as const
        })
      ),
      refreshGauges(
        "webhooks",
        [deliveries],
        Effect.map(webhooks.queueDepth(limit), (count) => [[deliveries, count]] as const)
      )
    ],
    { concurrency: "unbounded", discard: true }
  )
  return QueueDepthMetrics.of({ refresh: yield* Effect.cachedWithTTL(refreshAll, validity) })
})

/** For a process that leaves the gauges to another one of its service. */
export const layerElsewhere: Layer.Layer<QueueDepthMetrics> = Layer.succeed(
  QueueDepthMetrics,
  QueueDepthMetrics.of({ refresh: Effect.void })
)

/** `pushed`: whether the metrics are also sent to a collector. The gauges are then refreshed at an interval. */
export const layer = ({
  pushed
}: {
  readonly pushed: boolean
}): Layer.Layer<
  QueueDepthMetrics,
  never,
  ConversionRepository | MirrorRepository | DeliveryRepository | QuotaRepository | UsageRepository
> =>
  Layer.effect(
    QueueDepthMetrics,
    Effect.tap(make, ({ refresh }) =>
      pushed ? Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(validity))) : Effect.void
    )
  )
