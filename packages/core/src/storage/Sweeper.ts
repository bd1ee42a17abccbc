/**
 * Removes bytes that no file needs any more: replaced and removed contents past their grace, and uploads whose process
 * died. Safe to run on every node at once.
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

/** What one sweep did. */
export interface SweepReport {
  /** Uploads found dead. */
  readonly expired: number
  /** Blobs removed. */
  readonly removed: number
  /** Blobs that could not be removed; the next sweep tries again. */
  readonly failed: number
}

export interface SweepOptions {
  /**
   * Takes every upload that has not been committed for dead, whatever its lease: right only before the first upload of
   * a process that has the store to itself.
   */
  readonly isAlone?: boolean | undefined
}

export class Sweeper extends Context.Service<
  Sweeper,
  {
    /** Sweeps once, until nothing is due. A store that fails is reported in the count, not as an error. */
    readonly sweep: (options?: SweepOptions) => Effect.Effect<SweepReport, MetadataError>
  }
>()("@holdfast/core/storage/Sweeper") {}

const batch = 500

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
      const expired = yield* repository.expire(options?.isAlone === true ? undefined : now)
      let removed = 0
      let failed = 0
      while (failed === 0) {
        const due = yield* repository.due(now, batch)
        const gone = (yield* Effect.forEach(due, removeOne, { concurrency: 8 })).filter((id) => id !== undefined)
        if (gone.length > 0) yield* repository.forget(gone)
        removed += gone.length
        failed += due.length - gone.length
        if (due.length < batch) break
      }
      return { expired, removed, failed }
    })
  })
})

export const layer: Layer.Layer<Sweeper, never, BlobStore | BlobRepository> = Layer.effect(Sweeper, make)

/** Sweeps at an interval, for as long as the layer lives. */
export const layerPeriodic = (interval: Duration.Input): Layer.Layer<never, never, Sweeper> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { sweep } = yield* Sweeper
      yield* sweep().pipe(
        Effect.tap(({ failed }) =>
          failed > 0
            ? Effect.logWarning("Some blobs could not be removed; the next sweep tries again", failed)
            : Effect.void
        ),
        Effect.catch((error) => Effect.logWarning("The sweep could not reach the metadata", error.reason)),
        Effect.delay(interval),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
