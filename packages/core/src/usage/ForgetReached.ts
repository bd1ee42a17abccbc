/**
 * Forgets the limits whose use has fallen, so that reaching them leaves an event again. Every node may run it.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerJob } from "../BackgroundWork.ts"
import { QuotaOf } from "../quotas/CurrentQuota.ts"
import { QuotaRepository } from "../quotas/QuotaRepository.ts"
import { type ReachedLimit, rearmedBelow } from "../quotas/ReachedLimit.ts"
import { LimitsOf } from "./UsageLimits.ts"

/** How often the job runs. */
const interval = Duration.minutes(1)

/** Limits that one statement lists. */
const batchSize = 100

/** The pause after each limit, whose use takes up to some milliseconds to count. */
const pause = Duration.millis(5)

/** Returns the limit as it is now; null for none. */
const currentMaximum = Effect.fnUntraced(function* ({ bucketId, limit, tenantId }: ReachedLimit) {
  if (bucketId === null) return (yield* (yield* QuotaOf)(tenantId))[limit]
  if (limit !== "bytes" && limit !== "files") return null
  return (yield* (yield* LimitsOf)({ tenantId, bucketId })).bucket[limit]
})

/** Looks at all limits that were reached. */
export const forgetAll = Effect.gen(function* () {
  const repository = yield* QuotaRepository
  let after: ReachedLimit | undefined
  do {
    const found: ReadonlyArray<ReachedLimit> = yield* repository.listReached({ after, limit: batchSize })
    for (const reached of found) {
      const maximum = yield* currentMaximum(reached)
      const below = maximum === null ? Number.MAX_SAFE_INTEGER : rearmedBelow(maximum)
      yield* repository.forgetReached({ reached, below, now: yield* DateTime.now })
      yield* Effect.sleep(pause)
    }
    after = found.length < batchSize ? undefined : found.at(-1)
  } while (after !== undefined)
})

/** Runs the job while the layer is open. */
export const layer: Layer.Layer<never, never, QuotaRepository> = layerJob(forgetAll, interval, {
  worker: "job of reached limits",
  failure: "reached limits not looked at; will retry"
})
