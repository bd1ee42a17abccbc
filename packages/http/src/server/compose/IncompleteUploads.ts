/**
 * Periodic removal of incomplete multipart uploads from the blob store. A process that dies leaves them behind; the
 * store bills their parts, and no listing of objects shows them.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as BlobStores from "../config/blobs/BlobStores.ts"
import * as BlobStoreLayer from "./BlobStoreLayer.ts"

export interface SweepSchedule {
  /** Time between two sweeps. */
  readonly interval: Duration.Input
  /** Age from which an upload is removed. It must exceed the duration of the longest upload. */
  readonly minimumAge: Duration.Input
}

const defaultSchedule: SweepSchedule = { interval: "1 hour", minimumAge: "7 days" }

/** Sweeps at the start and then at an interval. The layer is empty for stores other than S3. */
export const layerSweeper = (
  settings: BlobStores.Values,
  { interval, minimumAge }: SweepSchedule = defaultSchedule
): Layer.Layer<never> => {
  const config = BlobStoreLayer.configOf(settings)
  if (config.store !== "s3") return Layer.empty
  const sweep = Effect.flatMap(
    Effect.promise(() => import("@holdfast/s3/StaleUploads")),
    ({ sweep }) => sweep(config.options, minimumAge)
  )
  return Layer.effectDiscard(
    sweep.pipe(
      Effect.tap((count) =>
        count === 0
          ? Effect.void
          : Effect.annotateLogs(Effect.logInfo("incomplete multipart uploads aborted"), { count })
      ),
      Effect.catch((error) => Effect.logWarning("sweep of incomplete multipart uploads failed", error)),
      Effect.andThen(Effect.sleep(interval)),
      Effect.forever,
      Effect.forkScoped
    )
  )
}
