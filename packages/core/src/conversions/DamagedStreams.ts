/**
 * Converts contents again whose streams have damaged segments.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Ids from "../Ids.ts"
import { SegmentRepair } from "../integrity/SegmentRepair.ts"
import { Settings } from "../Settings.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import { Transcoder } from "../transcoding/Transcoder.ts"
import { ConversionRepository } from "./ConversionRepository.ts"

const make = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  const random = yield* SecureRandom
  const store = yield* BlobStore
  const transcoder = yield* Transcoder
  const { blobGrace } = yield* Settings

  const replace = Effect.fnUntraced(function* (blobId: string) {
    yield* transcoder.check
    // While the store fails, all of its segments may seem to be missing.
    yield* store.check
    const now = yield* DateTime.now
    const makeId = Effect.provideService(Ids.make("cnv"), SecureRandom, random)
    const [id, sharerId] = [yield* makeId, yield* makeId]
    return yield* conversions.replaceDamaged({
      blobId,
      id,
      sharerId,
      now,
      sweepAt: DateTime.addDuration(now, blobGrace)
    })
  })

  return (blobId: string) =>
    replace(blobId).pipe(
      Effect.catchTag(["BlobError", "TranscodeError"], ({ reason }) =>
        Effect.as(
          Effect.annotateLogs(Effect.logDebug("stream with a damaged segment not queued"), { blobId, reason }),
          false
        )
      )
    )
})

/** Provides the repair of segments. It does nothing while no transcoder is available. */
export const layer: Layer.Layer<never, never, BlobStore | ConversionRepository | SecureRandom | Transcoder> =
  Layer.effect(SegmentRepair, make)
