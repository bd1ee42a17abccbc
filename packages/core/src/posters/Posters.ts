/**
 * Sets the posters of videos: an image, or the frame at a time. They replace those that conversions make, in all streams of the content.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { ConversionNotifier } from "../conversions/ConversionNotifier.ts"
import { getContent } from "../conversions/internal/CurrentConversion.ts"
import { mayBeMedia } from "../conversions/internal/RequestConversion.ts"
import { NotAVideo, TranscoderUnavailable } from "../conversions/StreamErrors.ts"
import { InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import * as Input from "../Input.ts"
import { StorageRoom } from "../StorageRoom.ts"
import { Transcoder } from "../transcoding/Transcoder.ts"
import { LimitsOf, within } from "../usage/UsageLimits.ts"
import * as Jpeg from "./Jpeg.ts"
import { PosterRepository } from "./PosterRepository.ts"
import * as VideoPoster from "./VideoPoster.ts"

export class Posters extends Context.Service<
  Posters,
  {
    /**
     * Sets the poster of the current content. Fails with `InvalidRequest` unless there is either a time or a JPEG; with `NotAVideo` if the
     * content's type excludes a conversion; with `QuotaExceeded` beyond a limit on bytes; with `TranscoderUnavailable` for a time where no transcoder can make the picture.
     */
    readonly set: (
      actor: Actor,
      file: FileRef,
      input: unknown
    ) => Effect.Effect<
      VideoPoster.VideoPoster,
      AccessError | InvalidRequest | NotFound | ContentNotUploaded | NotAVideo | QuotaExceeded | TranscoderUnavailable
    >

    /** Removes the poster that was set, so that viewers see the one that the conversions made. */
    readonly reset: (actor: Actor, file: FileRef) => Effect.Effect<void, AccessError | NotFound | ContentNotUploaded>
  }
>()("@holdfast/core/posters/Posters") {}

const decode = Input.decoder(VideoPoster.SetPoster)

const missing = new NotFound({ resource: "poster" })

const readImage = (text: string): Effect.Effect<Uint8Array, InvalidRequest> => {
  const bytes = Base64.decode(text)
  return Result.isFailure(bytes) ||
    bytes.success.length > VideoPoster.maxBytes ||
    Jpeg.sizeOf(bytes.success) === undefined
    ? Effect.fail(InvalidRequest.at("/image", "must be a JPEG of at most 8192 pixels a side, as Base64"))
    : Effect.succeed(bytes.success)
}

const make = Effect.gen(function* () {
  const access = yield* Access
  const files = yield* FileRepository
  const repository = yield* PosterRepository
  const transcoder = yield* Transcoder
  const notifier = yield* ConversionNotifier
  const room = yield* StorageRoom
  const limitsOf = yield* LimitsOf

  return Posters.of({
    set: Effect.fn("Posters.set")(function* (actor, ref, input) {
      const identity = yield* access.require(actor, ref, "file:write")
      const { image: text, time = null } = yield* decode(input)
      if ((text === undefined) === (time === null)) {
        return yield* InvalidRequest.at("", "must have either time or image")
      }
      const image = text === undefined ? null : yield* readImage(text)
      const { content, fileId } = yield* getContent(files, ref, identity)
      if (!mayBeMedia(content.type)) return yield* new NotAVideo()
      if (image === null) yield* Effect.mapError(transcoder.check, () => new TranscoderUnavailable())
      yield* room.forRecord
      const updatedAt = yield* DateTime.now
      const poster = { bucket: ref, blobId: content.blobId, fileId, time, image, updatedAt }
      yield* within(yield* limitsOf(ref))(by(identity)(repository.set(poster)))
      yield* notifier.notifyProgress
      const state: VideoPoster.VideoPoster["state"] = image === null ? "PENDING" : "READY"
      return { time, state, updatedAt }
    }),

    reset: Effect.fn("Posters.reset")(function* (actor, ref) {
      const identity = yield* access.require(actor, ref, "file:write")
      const { content } = yield* getContent(files, ref, identity)
      const isRemoved = yield* by(identity)(repository.remove({ bucket: ref, blobId: content.blobId }))
      if (!isRemoved) return yield* missing
    })
  })
})

export const layer: Layer.Layer<
  Posters,
  never,
  Access | FileRepository | PosterRepository | Transcoder | ConversionNotifier
> = Layer.effect(Posters, make)
