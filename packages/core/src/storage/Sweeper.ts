/**
 * Sweeps DOOMED blobs: replaced and removed contents whose grace period has ended, and uploads whose process died. Safe to
 * run on every node at the same time.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MetadataError } from "../MetadataError.ts"
import * as BlobKey from "./BlobKey.ts"
import { BlobRepository } from "./BlobRepository.ts"
import { BlobStore } from "./BlobStore.ts"

/** The result of one sweep. */
export interface SweepReport {
  /** Uploads whose lease had ended, and that were doomed. */
  readonly expired: number
  /** Blobs that were removed. */
  readonly removed: number
  /** Blobs that could not be removed. The next sweep retries them. */
  readonly failed: number
}

export interface SweepOptions {
  /**
   * Also expires uncommitted uploads whose lease has not ended; false when absent. Correct only for a process that is the
   * only user of the store, before its first upload.
   */
  readonly expireAllUploads?: boolean | undefined
}

export class Sweeper extends Context.Service<
  Sweeper,
  {
    /** Sweeps once, until no blob is due. Failures of the store are counted in the report, not raised. */
    readonly sweep: (options?: SweepOptions) => Effect.Effect<SweepReport, MetadataError>
  }
>()("@holdfast/core/storage/Sweeper") {}

/** Blobs per batch. */
const batchSize = 500

const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* BlobRepository

  const removeOne = (parts: BlobKey.Parts) =>
    Effect.match(store.remove(BlobKey.make(parts)), {
      onFailure: () => undefined,
      onSuccess: () => parts.blobId
    })

  return Sweeper.of({
    sweep: Effect.fn("Sweeper.sweep")(function* (options) {
      const now = yield* DateTime.now
      const expired = yield* repository.expire(options?.expireAllUploads === true ? "all" : { before: now })
      let removed = 0
      let failed = 0
      while (failed === 0) {
        const due = yield* repository.listDue(now, batchSize)
        const gone = (yield* Effect.forEach(due, removeOne, { concurrency: 8 })).filter((id) => id !== undefined)
        if (gone.length > 0) yield* repository.forget(gone)
        removed += gone.length
        failed += due.length - gone.length
        if (due.length < batchSize) break
      }
      return { expired, removed, failed }
    })
  })
})

export const layer: Layer.Layer<Sweeper, never, BlobStore | BlobRepository> = Layer.effect(Sweeper, make)

/** Sweeps at an interval, until the layer's scope closes. */
export const layerPeriodic = (interval: Duration.Input): Layer.Layer<never, never, Sweeper> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { sweep } = yield* Sweeper
      yield* sweep().pipe(
        Effect.tap(({ failed }) =>
          failed > 0
            ? Effect.logWarning("blobs not removed; the next sweep retries them").pipe(Effect.annotateLogs({ failed }))
            : Effect.void
        ),
        Effect.catch(({ reason }) =>
          Effect.logWarning("sweep failed; metadata store error").pipe(Effect.annotateLogs({ reason }))
        ),
        Effect.delay(interval),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
