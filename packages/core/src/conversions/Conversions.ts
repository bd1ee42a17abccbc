/**
 * Requests, reports and cancels conversions of video and audio for streaming. `ConversionWorker` runs them, on this node or
 * another.
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
import { by } from "../events/EventAuthor.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import { Settings } from "../Settings.ts"
import type { BlobRepository } from "../storage/BlobRepository.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import type { RequestedMode } from "../transcoding/ConversionPlan.ts"
import type { Format } from "../transcoding/Presentation.ts"
import type { Transcoder } from "../transcoding/Transcoder.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { ConversionNotifier } from "./ConversionNotifier.ts"
import { findConversion, getContent } from "./internal/CurrentConversion.ts"
import * as Polling from "./internal/Polling.ts"
import * as RequestConversion from "./internal/RequestConversion.ts"
import { toRecord } from "./StoredConversion.ts"
import {
  type NotAVideo,
  StreamNotConverted,
  type TooManyConversions,
  type TranscoderUnavailable
} from "./StreamErrors.ts"
import type { StreamRecord } from "./StreamRecord.ts"

export interface RequestOptions {
  /** Default: `auto`. */
  readonly mode?: RequestedMode | undefined
  /** How long to wait until the conversion is READY or FAILED, before its current state is returned. Default: no wait. */
  readonly wait?: Duration.Duration | undefined
}

export class Conversions extends Context.Service<
  Conversions,
  {
    /**
     * Requests a conversion of the current content to a format. A second request changes nothing, however many arrive at
     * once; after FAILED, a request starts the conversion again. Fails with `NotAVideo` if the content's type excludes a
     * conversion. Whether the content can be converted is mostly found out later; then the record says so. Fails with
     * `TooManyConversions` if the tenant has the conversions of its quota that wait or run.
     */
    readonly request: (
      actor: Actor,
      file: FileRef,
      format: Format,
      options?: RequestOptions
    ) => Effect.Effect<
      StreamRecord,
      AccessError | NotFound | ContentNotUploaded | NotAVideo | TooManyConversions | TranscoderUnavailable
    >

    /** Returns the conversion of the current content to a format. */
    readonly get: (
      actor: Actor,
      file: FileRef,
      format: Format
    ) => Effect.Effect<StreamRecord, AccessError | NotFound | ContentNotUploaded | StreamNotConverted>

    /** Stops and removes a conversion in any state. */
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
  const notifier = yield* ConversionNotifier
  const settings = yield* Settings
  const request = yield* RequestConversion.make

  const get = Effect.fn("Conversions.get")(function* (actor: Actor, ref: FileRef, format: Format) {
    const identity = yield* access.require(actor, ref, "file:read")
    const { content } = yield* getContent(files, ref, identity)
    const stored = yield* findConversion(conversions, ref, content.blobId, format)
    return stored === undefined ? yield* new StreamNotConverted() : toRecord(stored)
  })

  return Conversions.of({
    request: Effect.fn("Conversions.request")(function* (actor, ref, format, { mode = "auto", wait } = {}) {
      const identity = yield* access.require(actor, ref, "file:write")
      const requested = toRecord(yield* by(identity)(request(identity, ref, format, mode)))
      if (wait === undefined || !isPending(requested)) return requested
      const isPendingResult = (result: Result.Result<StreamRecord, unknown>) =>
        Result.isSuccess(result) && isPending(result.success)
      return yield* Polling.pollUntil(notifier, get(actor, ref, format), isPendingResult, wait).pipe(
        // The conversion was cancelled, or the content replaced: return what the request returned.
        Effect.catchTag(["StreamNotConverted", "ContentNotUploaded"], () => Effect.succeed(requested))
      )
    }),

    get,

    cancel: Effect.fn("Conversions.cancel")(function* (actor, ref, format) {
      const identity = yield* access.require(actor, ref, "file:write")
      const { content } = yield* getContent(files, ref, identity)
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      const isRemoved = yield* by(identity)(
        conversions.remove({ bucket: ref, blobId: content.blobId, format, sweepAt })
      )
      if (!isRemoved) return yield* new StreamNotConverted()
      yield* notifier.notifyProgress
    })
  })
})

const isPending = ({ state }: StreamRecord): boolean => state === "QUEUED" || state === "RUNNING"

export const layer: Layer.Layer<
  Conversions,
  never,
  | Access
  | BlobRepository
  | BlobStore
  | FileRepository
  | ConversionRepository
  | ConversionNotifier
  | Transcoder
  | SecureRandom
> = Layer.effect(Conversions, make)
