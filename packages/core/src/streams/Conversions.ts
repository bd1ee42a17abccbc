/**
 * Conversions of video and audio for streaming: asked for here, done by `ConversionWorker` on this node or another.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { NotFound } from "../Errors.ts"
import type { Content } from "../files/File.ts"
import { ContentNotUploaded } from "../files/FileErrors.ts"
import { find } from "../files/FileLookup.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import type { FileType } from "../files/FileType.ts"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import { Settings } from "../Settings.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Format } from "../transcoding/Presentation.ts"
import { Transcoder } from "../transcoding/Transcoder.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { ConversionSignal } from "./ConversionSignal.ts"
import { NotAVideo, StreamNotConverted, TranscoderUnavailable } from "./StreamErrors.ts"
import { fromStored, type StreamRecord } from "./StreamRecord.ts"

export interface RequestOptions {
  /** Default: `auto`. */
  readonly mode?: Mode | undefined
}

export class Conversions extends Context.Service<
  Conversions,
  {
    /**
     * Asks for the current content in a format. Asking again changes nothing, however many ask at once; after FAILED it
     * tries anew. Whether the content can be converted is mostly found out later, and then told by the record;
     * `NotAVideo` at once where the content's type excludes it.
     */
    readonly request: (
      actor: Actor,
      file: FileRef,
      format: Format,
      options?: RequestOptions
    ) => Effect.Effect<StreamRecord, AccessError | NotFound | ContentNotUploaded | NotAVideo | TranscoderUnavailable>

    /** How far the conversion of the current content is. */
    readonly get: (
      actor: Actor,
      file: FileRef,
      format: Format
    ) => Effect.Effect<StreamRecord, AccessError | NotFound | ContentNotUploaded | StreamNotConverted>

    /** All conversions of the current content, by format; none for a file without content. */
    readonly list: (actor: Actor, file: FileRef) => Effect.Effect<ReadonlyArray<StreamRecord>, AccessError | NotFound>

    /** Ends and removes a conversion, whatever its state. */
    readonly cancel: (
      actor: Actor,
      file: FileRef,
      format: Format
    ) => Effect.Effect<void, AccessError | NotFound | ContentNotUploaded | StreamNotConverted>
  }
>()("@holdfast/core/streams/Conversions") {}

/** What a detector of types may take for something else, or not know at all: the transcoder looks for itself. */
const maybeMedia: ReadonlySet<FileType> = new Set<FileType>(["VIDEO", "AUDIO", "OTHER"])

const make = Effect.gen(function* () {
  const access = yield* Access
  const files = yield* FileRepository
  const conversions = yield* ConversionRepository
  const transcoder = yield* Transcoder
  const signal = yield* ConversionSignal
  const settings = yield* Settings
  const random = yield* SecureRandom

  const current = (
    ref: FileRef
  ): Effect.Effect<
    { readonly fileId: string; readonly content: Content },
    NotFound | ContentNotUploaded | MetadataError
  > =>
    Effect.flatMap(find(files, ref), ({ content, id }) =>
      content === null ? Effect.fail(new ContentNotUploaded()) : Effect.succeed({ fileId: id, content })
    )

  const standing = (ref: FileRef, blobId: string, format: Format) =>
    Effect.map(conversions.ofContent(ref, blobId), (all) => all.find((one) => one.format === format))

  /** A content that is replaced between the look and the step is looked up once more. */
  const request = Effect.fnUntraced(function* (ref: FileRef, format: Format, mode: Mode) {
    const { content, fileId } = yield* current(ref)
    const stood = yield* standing(ref, content.blobId, format)
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

  return Conversions.of({
    request: Effect.fn("Conversions.request")(function* (actor, ref, format, { mode = "auto" } = {}) {
      yield* access.require(actor, ref.tenantId, "file:write")
      return fromStored(yield* Effect.retry(request(ref, format, mode), { times: 1, while: isGone }))
    }),

    get: Effect.fn("Conversions.get")(function* (actor, ref, format) {
      yield* access.require(actor, ref.tenantId, "file:read")
      const { content } = yield* current(ref)
      const stored = yield* standing(ref, content.blobId, format)
      return stored === undefined ? yield* new StreamNotConverted() : fromStored(stored)
    }),

    list: Effect.fn("Conversions.list")(function* (actor, ref) {
      yield* access.require(actor, ref.tenantId, "file:read")
      const { content } = yield* find(files, ref)
      return content === null ? [] : (yield* conversions.ofContent(ref, content.blobId)).map(fromStored)
    }),

    cancel: Effect.fn("Conversions.cancel")(function* (actor, ref, format) {
      yield* access.require(actor, ref.tenantId, "file:write")
      const { content } = yield* current(ref)
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      const wasThere = yield* conversions.remove(ref, content.blobId, format, { sweepAt })
      if (!wasThere) return yield* new StreamNotConverted()
    })
  })
})

const isGone = (error: { readonly _tag: string }): boolean => error._tag === "NotFound"

export const layer: Layer.Layer<
  Conversions,
  never,
  Access | FileRepository | ConversionRepository | ConversionSignal | Transcoder | SecureRandom
> = Layer.effect(Conversions, make)
