/**
 * Replaces the bytes of damaged contents by those of a copy, and the streams of damaged segments.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MetadataError } from "../MetadataError.ts"
import type { BlobError } from "../storage/BlobError.ts"
import type { CheckedBlob } from "./Damage.ts"
import { Integrity } from "./Integrity.ts"
import { RepairSources } from "./RepairSources.ts"
import { SegmentRepair } from "./SegmentRepair.ts"

/** The rate at which a copy must be read on average, in bytes per second, beyond the time for its first byte. */
const minRate = 64 * 1024

/** How long a copy may take besides, until its target responds. */
const responseTime = Duration.minutes(1)

/** A copy that is read too slowly: a target that sends a byte now and then must not hold a repair. */
class SlowCopy extends Data.TaggedError("SlowCopy")<{}> {
  override readonly message = `The copy was read at less than ${minRate / 1024} KiB per second.`
}

export class Repairs extends Context.Service<
  Repairs,
  {
    /**
     * Checks a blob, and replaces its bytes by those of the first copy that has the right ones, and is
     * read at 64 KiB per second at least. The conversion of a damaged segment is
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
      const { blobId, bucketId, fileId, size, tenantId } = blob
      for (const { name, read } of yield* sources.find(blob)) {
        const annotated = Effect.annotateLogs({ tenantId, bucketId, fileId, blobId, kind, source: name })
        const isRepaired = yield* integrity.restoreContent(blobId, read).pipe(
          Effect.timeoutOrElse({
            duration: Duration.sum(responseTime, Duration.seconds(size / minRate)),
            orElse: () => Effect.fail(new SlowCopy())
          }),
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
