/**
 * Attaches captions to the contents of files, lists and removes them. They join the streams of the content without another conversion.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { getContent } from "../conversions/internal/CurrentConversion.ts"
import { mayBeMedia } from "../conversions/internal/RequestConversion.ts"
import { NotAVideo } from "../conversions/StreamErrors.ts"
import { InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import { StorageRoom } from "../StorageRoom.ts"
import { LimitsOf, within } from "../usage/UsageLimits.ts"
import * as TrackLabels from "../transcoding/TrackLabels.ts"
import * as AttachedCaptions from "./AttachedCaptions.ts"
import * as CaptionFormats from "./CaptionFormats.ts"
import { CaptionRepository } from "./CaptionRepository.ts"

export class Captions extends Context.Service<
  Captions,
  {
    /**
     * Attaches captions to the current content. Fails with `InvalidRequest` for a text that is neither WebVTT nor SubRip, with the line;
     * with `NotAVideo` if the content's type excludes a conversion.
     */
    readonly attach: (
      actor: Actor,
      file: FileRef,
      input: unknown
    ) => Effect.Effect<
      AttachedCaptions.AttachedCaptions,
      AccessError | InvalidRequest | NotFound | ContentNotUploaded | NotAVideo | QuotaExceeded
    >

    /** Returns the captions that are attached to the current content, in the order in which they were attached. */
    readonly list: (
      actor: Actor,
      file: FileRef
    ) => Effect.Effect<ReadonlyArray<AttachedCaptions.AttachedCaptions>, AccessError | NotFound | ContentNotUploaded>

    /** Removes captions by their id. */
    readonly remove: (
      actor: Actor,
      file: FileRef,
      id: string
    ) => Effect.Effect<void, AccessError | NotFound | ContentNotUploaded>
  }
>()("@holdfast/core/captions/Captions") {}

const decode = Input.decoder(AttachedCaptions.AttachCaptions)

const missing = new NotFound({ resource: "captions" })

const make = Effect.gen(function* () {
  const access = yield* Access
  const files = yield* FileRepository
  const repository = yield* CaptionRepository
  const random = yield* SecureRandom
  const room = yield* StorageRoom
  const limitsOf = yield* LimitsOf

  return Captions.of({
    attach: Effect.fn("Captions.attach")(function* (actor, ref, input) {
      const identity = yield* access.require(actor, ref, "file:write")
      const { label, language: code, text } = yield* decode(input)
      const language = TrackLabels.toLanguage(code) ?? code
      const { content, fileId } = yield* getContent(files, ref, identity)
      if (!mayBeMedia(content.type)) return yield* new NotAVideo()
      const cues = yield* Effect.mapError(CaptionFormats.read(text), ({ detail, line }) =>
        InvalidRequest.at("/text", `line ${line}: ${detail}`)
      )
      yield* room.forRecord
      const captions = {
        id: yield* Effect.provideService(Ids.make("cap"), SecureRandom, random),
        language,
        label: label ?? TrackLabels.languageName(language) ?? language,
        createdAt: yield* DateTime.now
      }
      const { blobId } = content
      const maximum = AttachedCaptions.maxPerContent
      const attached = { ...captions, bucket: ref, fileId, blobId, cues, maximum }
      yield* within(yield* limitsOf(ref))(by(identity)(repository.attach(attached)))
      return captions
    }),

    list: Effect.fn("Captions.list")(function* (actor, ref) {
      const identity = yield* access.require(actor, ref, "file:read")
      const { content } = yield* getContent(files, ref, identity)
      return yield* repository.listByContent({ bucket: ref, blobId: content.blobId })
    }),

    remove: Effect.fn("Captions.remove")(function* (actor, ref, id) {
      const identity = yield* access.require(actor, ref, "file:write")
      const { content } = yield* getContent(files, ref, identity)
      if (!Ids.is("cap", id)) return yield* missing
      const isRemoved = yield* by(identity)(repository.remove({ bucket: ref, blobId: content.blobId, id }))
      if (!isRemoved) return yield* missing
    })
  })
})

export const layer: Layer.Layer<Captions, never, Access | FileRepository | CaptionRepository | SecureRandom> =
  Layer.effect(Captions, make)
