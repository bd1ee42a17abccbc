/**
 * Deletes shares some time after they have expired, in short batches. Every node may run it.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerJob } from "../../BackgroundWork.ts"
import { ShareRepository } from "./ShareRepository.ts"

/** How often the job runs. */
const interval = Duration.minutes(10)

/** How long an expired share is kept, so that a member can still see it, and make it valid again. */
const retention = Duration.days(30)

/** Shares that one transaction deletes. */
const batchSize = 100

/** Deletes all of them. */
export const deleteAll = Effect.gen(function* () {
  const shares = yield* ShareRepository
  const before = DateTime.subtractDuration(yield* DateTime.now, retention)
  let deleted: number
  do {
    deleted = yield* shares.deleteExpired({ before, limit: batchSize })
    // Half of the time is left to the requests.
    yield* Effect.sleep("20 millis")
  } while (deleted === batchSize)
})

/** Runs the job while the layer is open. */
export const layer: Layer.Layer<never, never, ShareRepository> = layerJob(deleteAll, interval, {
  worker: "deletion of expired shares",
  failure: "expired shares not deleted; will retry"
})
