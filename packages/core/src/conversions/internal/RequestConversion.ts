/**
 * Requests a conversion. An existing conversion is returned unchanged; a content that cannot be converted is rejected.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { Identity } from "../../access/Access.ts"
import type { FileRef } from "../../files/FileRef.ts"
import { FileRepository } from "../../files/FileRepository.ts"
import type { FileType } from "../../files/FileType.ts"
import * as Ids from "../../Ids.ts"
import type { Package } from "../../packaging/Package.ts"
import { QuotaOf } from "../../quotas/CurrentQuota.ts"
import { StorageRoom } from "../../StorageRoom.ts"
import type { RequestedMode } from "../../transcoding/ConversionPlan.ts"
import type { Format } from "../../transcoding/Presentation.ts"
import { Transcoder } from "../../transcoding/Transcoder.ts"
import { ConversionRepository } from "../ConversionRepository.ts"
import { ConversionNotifier } from "../ConversionNotifier.ts"
import { findConversion, getContent } from "./CurrentConversion.ts"
import * as PackageOnRequest from "./PackageOnRequest.ts"
import * as ShareConversion from "./ShareConversion.ts"
import { NotAVideo, TranscoderUnavailable } from "../StreamErrors.ts"

/**
 * Types that may be video or audio. OTHER is one of them: a type detector may not recognise a media file. The transcoder
 * probes the content itself.
 */
const mediaTypes: ReadonlySet<FileType> = new Set<FileType>(["VIDEO", "AUDIO", "OTHER"])

export const mayBeMedia = (type: FileType): boolean => mediaTypes.has(type)

const isNotFound = (error: { readonly _tag: string }): boolean => error._tag === "NotFound"

/** Makes the step from the services of the context. The step checks no permission. */
export const make = Effect.gen(function* () {
  const files = yield* FileRepository
  const room = yield* StorageRoom
  const conversions = yield* ConversionRepository
  const transcoder = yield* Transcoder
  const notifier = yield* ConversionNotifier
  const random = yield* SecureRandom
  const quotaOf = yield* QuotaOf
  const packaging = yield* PackageOnRequest.make

  const findShared = (wanted: ShareConversion.Wanted) =>
    Effect.provideService(ShareConversion.find(wanted), ConversionRepository, conversions)

  const isTranscoderAvailable = transcoder.check.pipe(
    Effect.as(true),
    Effect.catch(({ reason }) =>
      Effect.as(Effect.annotateLogs(Effect.logWarning("transcoder unavailable"), { reason }), false)
    )
  )

  const requestOnce = Effect.fnUntraced(function* (
    identity: Identity,
    ref: FileRef,
    format: Format,
    mode: RequestedMode
  ) {
    const { content, fileId } = yield* getContent(files, ref, identity)
    const { blobId } = content
    const { bucketId, tenantId } = ref
    const existing = yield* findConversion(conversions, ref, blobId, format)
    if (existing !== undefined && existing.state !== "FAILED") return existing
    if (!mayBeMedia(content.type)) return yield* new NotAVideo()
    const packageable = { tenantId, bucketId, ...content }
    let prepared: Package | undefined
    if (!(yield* isTranscoderAvailable)) {
      // Nothing would ever convert what can neither be shared nor packaged.
      if (mode !== "auto") return yield* new TranscoderUnavailable()
      const shared = yield* findShared({ tenantId, bucketId, blobId, format, mode })
      if (Option.isNone(shared)) {
        prepared = Option.getOrUndefined(yield* packaging.prepare(packageable, format))
        if (prepared === undefined) return yield* new TranscoderUnavailable()
      }
    }
    yield* room.forRecord
    const id = yield* Effect.provideService(Ids.make("cnv"), SecureRandom, random)
    const now = yield* DateTime.now
    const { conversions: maxPending } = yield* quotaOf(ref.tenantId)
    const stored = yield* conversions.request({ bucket: ref, fileId, blobId, id, format, mode, maxPending, now })
    if (stored.state !== "QUEUED" || stored.mode !== "auto") yield* notifier.notifyRequest
    else yield* packaging.start({ conversionId: stored.id, format, content: packageable, prepared })
    return stored
  })

  /** Retries once: the content may have been replaced between the lookup and the request. */
  return (identity: Identity, ref: FileRef, format: Format, mode: RequestedMode) =>
    Effect.retry(requestOnce(identity, ref, format, mode), { times: 1, while: isNotFound })
})
