/**
 * Conversions of video and audio for streaming: asked for here, done by `ConversionWorker` on this node or another.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { NotFound } from "../Errors.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import { find } from "../files/FileLookup.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import { Settings } from "../Settings.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Format } from "../transcoding/Presentation.ts"
import type { Transcoder } from "../transcoding/Transcoder.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import * as ConversionRequest from "./ConversionRequest.ts"
import { ConversionNotifier } from "./ConversionNotifier.ts"
import { contentOf, conversionOf } from "./CurrentConversion.ts"
import { type NotAVideo, StreamNotConverted, type TranscoderUnavailable } from "./StreamErrors.ts"
import { fromStored, type StreamRecord } from "./StreamRecord.ts"
import { sees, view, type Viewer } from "../playback/Viewer.ts"
import * as Polling from "./Polling.ts"

export interface RequestOptions {
  /** Default: `auto`. */
  readonly mode?: Mode | undefined
  /** How long to wait until it is READY or FAILED; then it is told as it stands. Default: not at all. */
  readonly wait?: Duration.Duration | undefined
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

    /**
     * All conversions of the current content, by format; none for a file without content. The holder of a playback key
     * sees the one that it is for.
     */
    readonly list: (viewer: Viewer, file: FileRef) => Effect.Effect<ReadonlyArray<StreamRecord>, AccessError | NotFound>

    /** Ends and removes a conversion, whatever its state. */
    readonly cancel: (
      actor: Actor,
      file: FileRef,
      format: Format
    ) => Effect.Effect<void, AccessError | NotFound | ContentNotUploaded | StreamNotConverted>
  }
>()("@holdfast/core/conversions/Conversions") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const files = yield* FileRepository
  const conversions = yield* ConversionRepository
  const signal = yield* ConversionNotifier
  const settings = yield* Settings
  const request = yield* ConversionRequest.make

  const get = Effect.fn("Conversions.get")(function* (actor: Actor, ref: FileRef, format: Format) {
    yield* access.require(actor, ref.tenantId, "file:read")
    const { content } = yield* contentOf(files, ref)
    const stored = yield* conversionOf(conversions, ref, content.blobId, format)
    return stored === undefined ? yield* new StreamNotConverted() : fromStored(stored)
  })

  return Conversions.of({
    request: Effect.fn("Conversions.request")(function* (actor, ref, format, { mode = "auto", wait } = {}) {
      yield* access.require(actor, ref.tenantId, "file:write")
      const asked = fromStored(yield* request(ref, format, mode))
      if (wait === undefined || !isUnderWay(asked)) return asked
      const isPending = (found: Result.Result<StreamRecord, unknown>) =>
        Result.isSuccess(found) && isUnderWay(found.success)
      return yield* Polling.look(signal, get(actor, ref, format), isPending, wait).pipe(
        // Cancelled, or of a content that was replaced: what was asked for is told as it stood.
        Effect.catchTag(["StreamNotConverted", "ContentNotUploaded"], () => Effect.succeed(asked))
      )
    }),

    get,

    list: Effect.fn("Conversions.list")(function* (viewer, ref) {
      const found = Effect.map(find(files, ref), ({ content, id }) => ({ fileId: id, content }))
      const { content } = yield* view(access, viewer, ref, undefined, found)
      if (content === null) return []
      const all = yield* conversions.ofContent(ref, content.blobId)
      return all.filter(({ id }) => sees(viewer, id)).map(fromStored)
    }),

    cancel: Effect.fn("Conversions.cancel")(function* (actor, ref, format) {
      yield* access.require(actor, ref.tenantId, "file:write")
      const { content } = yield* contentOf(files, ref)
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      const wasThere = yield* conversions.remove(ref, content.blobId, format, { sweepAt })
      if (!wasThere) return yield* new StreamNotConverted()
      yield* signal.advance
    })
  })
})

const isUnderWay = ({ state }: StreamRecord): boolean => state === "QUEUED" || state === "RUNNING"

export const layer: Layer.Layer<
  Conversions,
  never,
  Access | FileRepository | ConversionRepository | ConversionNotifier | Transcoder | SecureRandom
> = Layer.effect(Conversions, make)
