/**
 * Videos for players: `holdfast.streams` and `client.streams`.
 */
import * as Effect from "effect/Effect"
import type * as Attached from "../../captions/AttachedCaptions.ts"
import { Captions } from "../../captions/Captions.ts"
import { Conversions } from "../../conversions/Conversions.ts"
import type * as Stream from "../../conversions/StreamRecord.ts"
import type { FileRef } from "../../files/FileRef.ts"
import * as KeysForPages from "../../playback/KeysForPages.ts"
import type * as PlaybackKey from "../../playback/PlaybackKeyRecord.ts"
import { Streams } from "../../playback/Streams.ts"
import { Posters } from "../../posters/Posters.ts"
import type * as Poster from "../../posters/VideoPoster.ts"
import type { RequestedMode } from "../../transcoding/ConversionPlan.ts"
import type { Format } from "../../transcoding/Presentation.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Download } from "../content/Download.ts"
import { StreamDownload } from "../internal/content/StreamDownload.ts"
import type { Methods } from "../Operations.ts"
import type { WithTimes } from "../internal/Times.ts"
import { type BaseUrlOption, decodeApiUrl } from "./internal/BaseUrl.ts"
import type { Listing } from "./internal/Shared.ts"
import { checkFormat, checkMode, decodeWait } from "./internal/StreamInputs.ts"

/** One format of a file. */
export interface StreamRef extends FileRef {
  /** The format of the stream. */
  readonly format: Format
}

export interface StreamRecord<Time = Date> extends WithTimes<Stream.StreamRecord, Time> {}

/** How long a call waits. */
export interface WaitOption {
  /** Seconds at most; without it the call does not wait. */
  readonly wait?: number | undefined
}

export interface RequestStreamInput extends StreamRef, WaitOption {
  /** `auto` copies what players support and encodes the rest, `transcode` encodes everything. Default: `auto`. */
  readonly mode?: RequestedMode | undefined
}

export interface ReadStreamInput extends StreamRef {
  /** The name of a file of the stream, as in a playlist. Default: the playlist or manifest that players load first. */
  readonly name?: string | undefined
}

export interface PlaybackKeyInput extends StreamRef {
  /** Seconds until the key expires; at most 604,800, which are seven days. Default: as the keys in playlists. */
  readonly expiresIn?: number | undefined
}

/** A key that reads one stream over HTTP without an API key, and the addresses and the code that play it by this key. */
export interface PlaybackKeyRecord<Time = Date> extends WithTimes<PlaybackKey.PlaybackKeyRecord, Time> {}

export interface AttachCaptionsInput extends FileRef {
  /** BCP 47, such as `en` or `pt-BR`. */
  readonly language: string
  /** What viewers choose by. Default: the name of the language. */
  readonly label?: string | undefined
  /** WebVTT or SubRip (SRT). */
  readonly text: string
}

export interface CaptionsRef extends FileRef {
  /** The `id` of the captions. */
  readonly captionsId: string
}

/** Captions that are attached to a content. */
export interface CaptionsRecord<Time = Date> extends WithTimes<Attached.AttachedCaptions, Time> {}

export interface SetPosterInput extends FileRef {
  /** Seconds from the beginning of the video. A worker makes a picture of that frame. */
  readonly time?: number | undefined
  /** A JPEG of at most 512 KiB, as Base64, instead of `time`. */
  readonly image?: string | undefined
}

/** The poster that was set for a content. */
export interface PosterRecord<Time = Date> extends WithTimes<Poster.VideoPoster, Time> {}

export interface StreamOperations<Time, Opened extends Download = Download> {
  /**
   * Requests the conversion of the file's current content into a format. A second call for the same content returns the
   * same conversion; after FAILED it starts a new one. With `wait`, resolves when the conversion is READY or FAILED (over
   * HTTP after 60 seconds at most). Rejects with `not_a_video` where the type of the content excludes a conversion, with
   * `transcoder_unavailable` where the deployment has no transcoder, with `too_many_conversions` where the tenant has too many
   * that wait or run, and with `content_not_uploaded`.
   */
  request(input: RequestStreamInput): StreamRecord<Time>

  /** Lists the conversions of a file's current content. */
  list(input: FileRef): Listing<StreamRecord<Time>>

  /** Stops and removes a conversion in any state. Rejects with `stream_not_converted` and `content_not_uploaded`. */
  cancel(input: StreamRef): void

  /**
   * Opens a file of a stream, also while the conversion runs. Rejects with `stream_not_converted`, `stream_not_ready`,
   * `conversion_failed`, `not_a_video` and `content_not_uploaded`.
   */
  read(input: ReadStreamInput): Opened

  /** Opens the poster of a converted video, a JPEG. Rejects as `read` does. */
  poster(input: FileRef): Opened

  /**
   * Creates a key with which a page plays this stream without an API key, for at most seven days. Nothing is stored: the key works
   * while its creator may read the file, and until the stream is removed or the content replaced. Rejects as `read` does, but not with
   * `stream_not_ready`.
   */
  playbackKey(input: PlaybackKeyInput): PlaybackKeyRecord<Time>

  /**
   * Attaches captions to the file's current content. They join its streams that are READY, and later ones, without another conversion; a
   * new content has none. Rejects with `invalid_request` for a text that is neither WebVTT nor SubRip, naming the line, with
   * `quota_exceeded` where the content has 20, with `not_a_video` and with `content_not_uploaded`.
   */
  attachCaptions(input: AttachCaptionsInput): CaptionsRecord<Time>

  /** Lists the captions that are attached to the file's current content, in the order in which they were attached. */
  listCaptions(input: FileRef): Listing<CaptionsRecord<Time>>

  /** Removes captions that were attached. */
  removeCaptions(input: CaptionsRef): void

  /**
   * Sets the poster of the file's current content: the frame at a time, of which a worker makes a picture, or an image. It replaces the
   * poster that conversions make; a new content has none. Rejects with `invalid_request` unless there is either a time or a JPEG, with
   * `not_a_video`, `content_not_uploaded` and, for a time, `transcoder_unavailable`.
   */
  setPoster(input: SetPosterInput): PosterRecord<Time>

  /** Removes the poster that was set, so that viewers see the one that conversions made. */
  resetPoster(input: FileRef): void
}

/** Includes what the HTTP API has in other forms or knows from the request: its list has each conversion. */
interface LibraryStreamOperations extends StreamOperations<Date, StreamDownload> {
  /** Returns a conversion. Rejects with `stream_not_converted` and `content_not_uploaded`. */
  get(input: StreamRef): StreamRecord

  /**
   * Opens a file of a stream, also while the conversion runs; with `wait`, waits for a playlist that the conversion has not
   * made yet. Rejects with `stream_not_converted`, `stream_not_ready`, `conversion_failed`, `not_a_video` and
   * `content_not_uploaded`.
   */
  read(input: ReadStreamInput & WaitOption): StreamDownload

  playbackKey(input: PlaybackKeyInput & BaseUrlOption): PlaybackKeyRecord
}

export interface StreamsApi extends Methods<LibraryStreamOperations, [actor: ActorHandle]> {}

const stream = { ...Fields.file, format: true } as const

export const make = (invoke: Invoke): StreamsApi =>
  bind<LibraryStreamOperations>(
    invoke,
    {
      request: Effect.fnUntraced(function* (actor, input) {
        yield* checkFormat(input.format)
        yield* checkMode(input.mode)
        const wait = yield* decodeWait(input)
        const { request } = yield* Conversions
        return yield* request(actor, input, input.format, { mode: input.mode, wait })
      }),

      get: (actor, input) => Conversions.use((service) => service.get(actor, input, input.format)),

      list: (actor, input) =>
        Effect.map(
          Streams.use((service) => service.list(actor, input)),
          (items) => ({ items })
        ),

      cancel: (actor, input) => Conversions.use((service) => service.cancel(actor, input, input.format)),

      read: Effect.fnUntraced(function* (actor, input) {
        yield* checkFormat(input.format)
        const { format, name = StreamFiles.entry(format) } = input
        const { open } = yield* Streams
        const opened = yield* open(actor, input, format, name, { wait: yield* decodeWait(input) })
        return new StreamDownload(opened, yield* Effect.context<never>())
      }),

      poster: Effect.fnUntraced(function* (actor, input) {
        const { openPoster } = yield* Streams
        return new StreamDownload(yield* openPoster(actor, input), yield* Effect.context<never>())
      }),

      playbackKey: Effect.fnUntraced(function* (actor, input) {
        yield* checkFormat(input.format)
        const apiUrl = yield* decodeApiUrl(input)
        return yield* KeysForPages.create(actor, input, input.format, input, apiUrl)
      }),

      attachCaptions: (actor, input) => Captions.use((service) => service.attach(actor, input, input)),

      listCaptions: (actor, input) =>
        Effect.map(
          Captions.use((service) => service.list(actor, input)),
          (items) => ({ items })
        ),

      setPoster: (actor, input) => Posters.use((service) => service.set(actor, input, input)),

      resetPoster: (actor, input) => Posters.use((service) => service.reset(actor, input)),

      removeCaptions: (actor, input) => Captions.use((service) => service.remove(actor, input, input.captionsId))
    },
    {
      request: { ...Fields.file, format: true, mode: true, wait: true },
      get: stream,
      list: Fields.file,
      cancel: stream,
      read: { ...stream, name: "text", wait: true },
      poster: Fields.file,
      playbackKey: { ...Fields.file, format: true, expiresIn: true, baseUrl: true },
      attachCaptions: { ...Fields.file, language: true, label: true, text: true },
      listCaptions: Fields.file,
      removeCaptions: { ...Fields.file, captionsId: "id" },
      setPoster: { ...Fields.file, time: true, image: true },
      resetPoster: Fields.file
    }
  )
