/**
 * Replaces the bytes of damaged contents by those of a copy, and the streams of damaged segments.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MetadataError } from "../MetadataError.ts"
import type { BlobError } from "../storage/BlobError.ts"
import type { CheckedBlob } from "./Damage.ts"
import { Integrity } from "./Integrity.ts"
import { RepairSources } from "./RepairSources.ts"
import { SegmentRepair } from "./SegmentRepair.ts"

export class Repairs extends Context.Service<
  Repairs,
  {
    /**
     * Checks a blob, and replaces its bytes by those of the first copy that has the right ones. The conversion of a damaged segment is
     * queued again. Returns whether the blob is intact now, or not used any more.
     */
    readonly repair: (blob: CheckedBlob) => Effect.Effect<boolean, BlobError | MetadataError>
  }
>()("@holdfast/core/integrity/Repairs") {}

const make = Effect.gen(function* () {
  const integrity = yield* Integrity
  const sources = yield* RepairSources
  const repairSegment = yield* SegmentRepair

  return Repairs.of({
    repair: Effect.fn("Repairs.repair")(function* (blob) {
      const kind = yield* integrity.verify(blob)
      if (kind === undefined) return true
      const { blobId, bucketId, fileId, tenantId } = blob
      for (const { name, read } of yield* sources.find(blob)) {
        const annotated = Effect.annotateLogs({ tenantId, bucketId, fileId, blobId, kind, source: name })
        const isRepaired = yield* integrity.restoreContent(blobId, read).pipe(
          Effect.andThen(annotated(Effect.logInfo("damaged content repaired"))),
          Effect.as(true),
          Effect.catch((error) =>
            annotated(Effect.as(Effect.logWarning("copy cannot repair a damaged content", error.message), false))
          )
        )
        if (isRepaired) return true
      }
      const isReplaced = yield* repairSegment(blobId)
      if (isReplaced) {
        yield* Effect.logInfo("stream with a damaged segment queued again").pipe(
          Effect.annotateLogs({ tenantId, bucketId, fileId, blobId, kind })
        )
      }
      return isReplaced
    })
  })
})

export const layer: Layer.Layer<Repairs, never, Integrity> = Layer.effect(Repairs, make)
