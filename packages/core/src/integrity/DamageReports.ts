/**
 * Reports of contents that a reader found damaged or missing. The process checks them itself soon.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as BlobKey from "../storage/BlobKey.ts"

export interface DamageReports {
  /** Reports a blob. Never waits: a report is dropped while the blob is reported already, and while too many reports wait. */
  readonly report: (blob: BlobKey.Parts) => Effect.Effect<void>
  /** Waits for the next report. */
  readonly take: Effect.Effect<BlobKey.Parts>
}

/** Without the layer nothing checks the reports. */
export const DamageReports = Context.Reference<DamageReports>("@holdfast/core/integrity/DamageReports", {
  defaultValue: () => ({ report: () => Effect.void, take: Effect.never })
})

/** Reports that wait at most. The scrub finds the others. */
const capacity = 1000

export const layer: Layer.Layer<never> = Layer.effect(
  DamageReports,
  Effect.gen(function* () {
    const queue = yield* Queue.dropping<BlobKey.Parts>(capacity)
    const waiting = new Set<string>()
    return {
      report: (blob) =>
        Effect.suspend(() => {
          if (waiting.has(blob.blobId)) return Effect.void
          waiting.add(blob.blobId)
          return Effect.map(Queue.offer(queue, blob), (isAccepted) => {
            if (!isAccepted) waiting.delete(blob.blobId)
          })
        }),
      take: Effect.tap(Queue.take(queue), ({ blobId }) => Effect.sync(() => waiting.delete(blobId)))
    }
  })
)
