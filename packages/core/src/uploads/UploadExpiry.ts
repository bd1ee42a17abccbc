/**
 * Deletes the records of uploads that have expired. The sweep removes their bytes. Every node may run it.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerJob } from "../BackgroundWork.ts"
import { UploadRepository } from "./UploadRepository.ts"

/** How often the job runs. */
const interval = Duration.minutes(1)

/** Records that one statement deletes. */
const batchSize = 500

/** Deletes all of them. */
const deleteAll = Effect.gen(function* () {
  const uploads = yield* UploadRepository
  let deleted: number
  do {
    deleted = yield* uploads.deleteExpired({ now: yield* DateTime.now, limit: batchSize })
  } while (deleted === batchSize)
})

/** Runs the job while the layer is open. */
export const layer: Layer.Layer<never, never, UploadRepository> = layerJob(deleteAll, interval, {
  worker: "job of expired uploads",
  failure: "records of expired uploads not deleted; will retry"
})
