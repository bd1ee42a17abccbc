/**
 * Deletes deliveries that ended some time ago, and those of webhooks that were deleted or have been disabled for a month, in short
 * batches. Every node may run it: nodes skip the deliveries that another one deletes.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerJob } from "../../BackgroundWork.ts"
import { DeliveryRepository } from "../DeliveryRepository.ts"

/** How often the job runs. */
const interval = Duration.minutes(1)

/** Deliveries of one batch. On SQLite, other statements wait for a batch. */
const batchSize = 500

/** The pause after each batch, which leaves most of the time to requests. */
const pause = Duration.millis(20)

/** How long pending deliveries of a DISABLED webhook are kept. */
const abandonedAfter = Duration.days(30)

/** Deletes everything that is due now. */
export const deleteOld = Effect.gen(function* () {
  const repository = yield* DeliveryRepository
  const now = yield* DateTime.now
  while ((yield* repository.deleteEnded({ now, limit: batchSize })) === batchSize) yield* Effect.sleep(pause)
  const before = DateTime.subtractDuration(now, abandonedAfter)
  let after: string | null = ""
  while (after !== null) {
    after = yield* repository.deleteAbandoned({ before, after, limit: batchSize })
    yield* Effect.sleep(pause)
  }
})

/** Deletes old deliveries while the layer is open. */
export const layer: Layer.Layer<never, never, DeliveryRepository> = layerJob(deleteOld, interval, {
  worker: "deletion of old webhook deliveries",
  failure: "old webhook deliveries not deleted; will retry"
})
