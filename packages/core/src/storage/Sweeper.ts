/**
 * Sweeps DOOMED blobs: replaced and removed contents whose grace period has ended, and uploads whose process died. Every node
 * may sweep at the same time: each claims the blobs that it removes.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { asBackgroundWork } from "../BackgroundWork.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as BlobKey from "./BlobKey.ts"
import { BlobRepository, type DueBlob, type DuePosition } from "./BlobRepository.ts"
import { BlobStore } from "./BlobStore.ts"
import { paced } from "../workers/Pace.ts"

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
    /** Sweeps once: removes the blobs that are due, and their parts. Failures of the store are counted in the report, not raised. */
    readonly sweep: (options?: SweepOptions) => Effect.Effect<SweepReport, MetadataError>
  }
>()("@holdfast/core/storage/Sweeper") {}

/** Blobs per batch: a statement on them takes some 10 ms. */
const batchSize = 1000

/**
 * Batches whose blobs the store removes together. A store on a disk syncs each directory once for all of them: with one batch at a time,
 * a directory has few blobs of it, and the syncs take most of the time of a sweep.
 */
const batchesAtOnce = 4

/**
 * Passes over the list of the due blobs. The removal of a composite content dooms its parts, whose place in the order is before the
 * blobs that were listed: the second pass removes them. A sweep does not go on until no blob is due, because requests may doom blobs
 * as fast as it removes them, and only the next sweep expires the uploads of processes that died.
 */
const passes = 2

/** Concurrent removals, for a store that removes one blob at a time. */
const concurrency = 16

/**
 * How long the blobs that are removed together stay claimed. If the process dies, another sweep removes them after that time. Where a store takes
 * longer, two sweeps remove some blobs twice, which does no harm.
 */
const lease = Duration.seconds(20)

const make = Effect.gen(function* () {
  const store = yield* BlobStore
  const repository = yield* BlobRepository
  const only = yield* Semaphore.make(1)

  /** Removes blobs. Returns the ids of those that were removed. */
  const removeAll = (blobs: ReadonlyArray<BlobKey.Parts>) => {
    if (store.removeMany !== undefined) {
      const keys = blobs.map(BlobKey.make)
      return Effect.map(store.removeMany(keys), (removed) =>
        blobs.flatMap(({ blobId }, index) => (removed.has(keys[index] ?? "") ? [blobId] : []))
      )
    }
    const removeOne = (blob: BlobKey.Parts) =>
      Effect.match(store.remove(BlobKey.make(blob)), { onFailure: () => [], onSuccess: () => [blob.blobId] })
    return Effect.map(Effect.forEach(blobs, removeOne, { concurrency }), (ids) => ids.flat())
  }

  const sweep = Effect.fn("Sweeper.sweep")(function* (options?: SweepOptions) {
    const now = yield* DateTime.now
    const expired = yield* repository.expire(options?.expireAllUploads === true ? "all" : { before: now })
    let removed = 0
    let failed = 0
    for (let pass = 1; pass <= passes; pass++) {
      let after: DuePosition | undefined
      let isLast = false
      while (!isLast && failed === 0) {
        const mine: Array<DueBlob> = []
        const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
        for (let batch = 1; batch <= batchesAtOnce && !isLast; batch++) {
          const due = yield* repository.listDue({ now, after, limit: batchSize })
          isLast = due.length < batchSize
          if (due.length === 0) break
          const claimed = yield* repository.claimDue({ blobIds: due.map(({ blobId }) => blobId), now, leaseUntil })
          mine.push(...due.filter(({ blobId }) => claimed.has(blobId)))
          after = due.at(-1)
        }
        if (mine.length === 0) continue
        const gone = new Set(yield* removeAll(mine))
        const left = mine.flatMap(({ blobId }) => (gone.has(blobId) ? [] : [blobId]))
        for (const ids of Arr.chunksOf([...gone], batchSize)) yield* paced(repository.forget(ids))
        for (const ids of Arr.chunksOf(left, batchSize)) yield* repository.postpone(ids, now)
        removed += gone.size
        failed += left.length
      }
      if (removed === 0) break
    }
    return { expired, removed, failed }
  })

  // A second sweep of this process waits: it would list the same blobs.
  return Sweeper.of({ sweep: (options) => only.withPermits(1)(sweep(options)) })
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
        asBackgroundWork,
        Effect.forkScoped
      )
    })
  )
