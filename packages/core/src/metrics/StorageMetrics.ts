/**
 * Counters of uploads and of the sweeper.
 */
import { FileRepository } from "../files/FileRepository.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import { type SweepReport, Sweeper } from "../storage/Sweeper.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Counter from "./Counter.ts"
import * as PortDecorator from "./PortDecorator.ts"

const staged = Counter.make("holdfast_uploads_staged_total", "Contents that became durable.")
const stagedBytes = Counter.make("holdfast_uploads_staged_bytes_total", "Bytes of contents that became durable.")
const committed = Counter.make("holdfast_uploads_committed_total", "Contents that became the content of a file.")
const expired = Counter.make("holdfast_sweeper_expired_total", "Uploads whose lease expired.")
const removed = Counter.make("holdfast_sweeper_removed_total", "Blobs that the sweeper removed.")
const failed = Counter.make("holdfast_sweeper_failed_total", "Removals that failed and are retried.")

/** The blob store, with counters for contents that became durable. */
export const layerBlobStore: Layer.Layer<BlobStore, never, BlobStore> = PortDecorator.layer(BlobStore, (store) => ({
  ...store,
  put: (...step) =>
    Effect.tap(store.put(...step), ({ size }) =>
      Effect.andThen(Metric.update(staged, 1), Metric.update(stagedBytes, size))
    )
}))

/** The repository, with a counter for contents that became the content of a file. */
export const layerFiles: Layer.Layer<FileRepository, never, FileRepository> = PortDecorator.layer(
  FileRepository,
  (files) => ({
    ...files,
    insert: (...step) =>
      Effect.tap(files.insert(...step), () => (step[1].content === null ? Effect.void : Metric.update(committed, 1))),
    replaceContent: (...step) => Effect.tap(files.replaceContent(...step), () => Metric.update(committed, 1))
  })
)

const count = (report: SweepReport) =>
  Effect.all([
    Metric.update(expired, report.expired),
    Metric.update(removed, report.removed),
    Metric.update(failed, report.failed)
  ])

/** The sweeper, with counters for its results. */
export const layerSweeper: Layer.Layer<Sweeper, never, Sweeper> = PortDecorator.layer(Sweeper, ({ sweep }) => ({
  sweep: (options) => Effect.tap(sweep(options), count)
}))
