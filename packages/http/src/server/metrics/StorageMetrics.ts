/**
 * What becomes of uploads, and what the sweeper does.
 */
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import { type SweepReport, Sweeper } from "@holdfast/core/storage/Sweeper"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const staged = counter("holdfast_uploads_staged_total", "Contents that became durable.")
const stagedBytes = counter("holdfast_uploads_staged_bytes_total", "Bytes of contents that became durable.")
const committed = counter("holdfast_uploads_committed_total", "Contents that became a file's.")
const expired = counter("holdfast_sweeper_expired_total", "Uploads that were found dead.")
const removed = counter("holdfast_sweeper_removed_total", "Blobs that were removed.")
const failed = counter("holdfast_sweeper_failed_total", "Removals that failed and are tried again.")

/** Counts contents that became durable. */
export const layerBlobStore: Layer.Layer<BlobStore, never, BlobStore> = Layer.effect(
  BlobStore,
  Effect.map(BlobStore, (store) =>
    BlobStore.of({
      ...store,
      put: (key, content) =>
        Effect.tap(store.put(key, content), ({ size }) =>
          Effect.andThen(Metric.update(staged, 1), Metric.update(stagedBytes, size))
        )
    })
  )
)

/** Counts contents that became a file's. */
export const layerFiles: Layer.Layer<FileRepository, never, FileRepository> = Layer.effect(
  FileRepository,
  Effect.map(FileRepository, (files) =>
    FileRepository.of({
      ...files,
      insert: (bucket, file) =>
        Effect.tap(files.insert(bucket, file), () =>
          file.content === null ? Effect.void : Metric.update(committed, 1)
        ),
      replaceContent: (...step) => Effect.tap(files.replaceContent(...step), () => Metric.update(committed, 1))
    })
  )
)

const count = (report: SweepReport) =>
  Effect.all([
    Metric.update(expired, report.expired),
    Metric.update(removed, report.removed),
    Metric.update(failed, report.failed)
  ])

/** Counts what sweeps did. */
export const layerSweeper: Layer.Layer<Sweeper, never, Sweeper> = Layer.effect(
  Sweeper,
  Effect.map(Sweeper, ({ sweep }) => Sweeper.of({ sweep: (options) => Effect.tap(sweep(options), count) }))
)
