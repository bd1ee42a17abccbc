/**
 * `holdfast.streams`: videos for players.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { FileRef } from "../files/FileRef.ts"
import { Conversions } from "../conversions/Conversions.ts"
import { PlaybackKeys } from "../playback/PlaybackKeys.ts"
import { Streams } from "../playback/Streams.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call } from "./Call.ts"
import * as Plain from "./Plain.ts"
import type { CallOptions } from "./Runner.ts"
import { StreamHandle } from "./StreamHandle.ts"
import {
  checkFormat,
  checkMode,
  type OpenStreamInput,
  type PlaybackKeyRecord,
  type RequestInput,
  type StreamInput,
  type StreamRecord,
  waitOf
} from "./StreamInputs.ts"

export class StreamsApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /**
   * Asks for the current content in a format, which is made once and then kept. Rejects with `NotAVideo` where the content
   * excludes it, and with `TranscoderUnavailable` when nothing can convert.
   */
  request(actor: ActorHandle, input: RequestInput, options?: CallOptions): Promise<StreamRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        yield* checkFormat(input.format)
        yield* checkMode(input.mode)
        const wait = yield* waitOf(input)
        const { request } = yield* Conversions
        return Plain.fromCore(yield* request(as, input, input.format, { mode: input.mode, wait }))
      })
    )
  }

  /** How far a conversion is. Rejects with `StreamNotConverted` when nobody has asked for it. */
  get(actor: ActorHandle, input: StreamInput, options?: CallOptions): Promise<StreamRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Conversions.use((conversions) => conversions.get(as, input, input.format)),
        Plain.fromCore
      )
    )
  }

  /** All conversions of a file's current content. */
  list(actor: ActorHandle, input: FileRef, options?: CallOptions): Promise<ReadonlyArray<StreamRecord>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Conversions.use((conversions) => conversions.list(as, input)),
        Plain.fromCore
      )
    )
  }

  /** Ends and removes a conversion, whatever its state. */
  cancel(actor: ActorHandle, input: StreamInput, options?: CallOptions): Promise<void> {
    return this.#call(actor, input, options, (as) =>
      Conversions.use((conversions) => conversions.cancel(as, input, input.format))
    )
  }

  /**
   * Opens a file of a stream, also while the conversion runs: a playlist as it stands, or a segment. Rejects with
   * `StreamNotConverted`, `StreamNotReady`, `ConversionFailed` or `NotAVideo`.
   */
  open(actor: ActorHandle, input: OpenStreamInput, options?: CallOptions): Promise<StreamHandle> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        yield* checkFormat(input.format)
        const { format, name = StreamFiles.entry(format) } = input
        const { open } = yield* Streams
        const opened = yield* open(as, input, format, name, { patience: yield* waitOf(input) })
        return new StreamHandle(opened, yield* Effect.context<never>())
      })
    )
  }

  /** Opens the still of a video that was converted, a JPEG. */
  poster(actor: ActorHandle, input: FileRef, options?: CallOptions): Promise<StreamHandle> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        const { poster } = yield* Streams
        return new StreamHandle(yield* poster(as, input), yield* Effect.context<never>())
      })
    )
  }

  /**
   * A key for a player: good for reading this stream alone, for some hours, and as long as the actor may. It is for
   * addresses of the HTTP door, such as that of an embedded player.
   */
  playbackKey(actor: ActorHandle, input: StreamInput, options?: CallOptions): Promise<PlaybackKeyRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        yield* checkFormat(input.format)
        const { conversionId, fileId } = yield* Streams.use((streams) => streams.show(as, input, input.format))
        const { bucketId, format, tenantId } = input
        const { issue } = yield* PlaybackKeys
        const { expiresAt, key } = yield* issue(as, { tenantId, bucketId, fileId, format, conversionId })
        return { key: Redacted.value(key), expiresAt: Plain.fromCore(expiresAt) }
      })
    )
  }
}
