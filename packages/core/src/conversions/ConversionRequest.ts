/**
 * Asking for a conversion: what stands is left as it is, and what cannot be converted is refused.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import type { FileType } from "../files/FileType.ts"
import * as Ids from "../Ids.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Format } from "../transcoding/Presentation.ts"
import { Transcoder } from "../transcoding/Transcoder.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { ConversionNotifier } from "./ConversionNotifier.ts"
import { contentOf, conversionOf } from "./CurrentConversion.ts"
import { NotAVideo, TranscoderUnavailable } from "./StreamErrors.ts"

/** What a detector of types may take for something else, or not know at all: the transcoder looks for itself. */
const maybeMedia: ReadonlySet<FileType> = new Set<FileType>(["VIDEO", "AUDIO", "OTHER"])

const isGone = (error: { readonly _tag: string }): boolean => error._tag === "NotFound"

/** The step over the services of the context; it does not look at anybody's rights. */
export const make = Effect.gen(function* () {
  const files = yield* FileRepository
  const conversions = yield* ConversionRepository
  const transcoder = yield* Transcoder
  const signal = yield* ConversionNotifier
  const random = yield* SecureRandom

  const attempt = Effect.fnUntraced(function* (ref: FileRef, format: Format, mode: Mode) {
    const { content, fileId } = yield* contentOf(files, ref)
    const stood = yield* conversionOf(conversions, ref, content.blobId, format)
    if (stood !== undefined && stood.state !== "FAILED") return stood
    if (!maybeMedia.has(content.type)) return yield* new NotAVideo()
    yield* Effect.catch(transcoder.check, (error) =>
      Effect.andThen(Effect.logWarning("The video converter cannot work", error.reason), new TranscoderUnavailable())
    )
    const id = yield* Effect.provideService(Ids.make("cnv"), SecureRandom, random)
    const source = { fileId, blobId: content.blobId }
    const stored = yield* conversions.request(ref, source, { id, format, mode }, yield* DateTime.now)
    yield* signal.notify
    return stored
  })

  /** A content that is replaced between the look and the step is looked up once more. */
  return (ref: FileRef, format: Format, mode: Mode) =>
    Effect.retry(attempt(ref, format, mode), { times: 1, while: isGone })
})
