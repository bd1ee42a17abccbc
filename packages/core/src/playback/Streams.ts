/**
 * Reading converted video and audio, also while the conversion runs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Access } from "../access/Access.ts"
import { NotFound } from "../Errors.ts"
import { ContentNotUploaded } from "../files/FileErrors.ts"
import { find, select } from "../files/FileLookup.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import type { Format } from "../transcoding/Presentation.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import { ConversionRepository } from "../conversions/ConversionRepository.ts"
import { ConversionNotifier } from "../conversions/ConversionNotifier.ts"
import {
  type OpenedPlaylist,
  type OpenedSegment,
  type OpenOptions,
  segmentOf,
  type ShownStream,
  type StreamError
} from "./OpenedStream.ts"
import { ofFault, StreamNotConverted, StreamNotReady } from "../conversions/StreamErrors.ts"
import { fromStored } from "../conversions/StreamRecord.ts"
import { sees, view, type Viewer } from "./Viewer.ts"
import * as Polling from "../conversions/Polling.ts"

export class Streams extends Context.Service<
  Streams,
  {
    /**
     * Finds one file of a stream by its name (`StreamFiles`), in one statement besides the key check.
     *
     * - `StreamNotConverted`: nobody has asked for this format.
     * - `StreamNotReady`: the conversion has not made this file yet; it may still come.
     * - `ConversionFailed`, `NotAVideo`: it never will.
     * - `NotFound`: there is no such file, the stream has none of this name, or it is no longer the one that a playback
     *   key is for.
     */
    readonly open: (
      viewer: Viewer,
      file: FileRef,
      format: Format,
      name: string,
      options?: OpenOptions
    ) => Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError>

    /**
     * Finds the still of a video, which is made with each conversion. `NotFound` when none was made, as of sound alone.
     */
    readonly poster: (viewer: Viewer, file: FileRef) => Effect.Effect<OpenedSegment, StreamError>

    /** How far a stream is that plays or still may, and what the file is called. */
    readonly show: (
      viewer: Viewer,
      file: FileRef,
      format: Format
    ) => Effect.Effect<ShownStream, Exclude<StreamError, StreamNotReady>>
  }
>()("@holdfast/core/playback/Streams") {}

const nowhere = new NotFound({ resource: "stream" })

const isSegment = (opened: OpenedPlaylist | OpenedSegment): opened is OpenedSegment => opened._tag === "Segment"

const isAwaited = (found: Result.Result<unknown, StreamError>): boolean =>
  Result.isFailure(found) && found.failure._tag === "StreamNotReady"

const make = Effect.gen(function* () {
  const access = yield* Access
  const files = yield* FileRepository
  const conversions = yield* ConversionRepository
  const store = yield* BlobStore
  const signal = yield* ConversionNotifier

  const look = (viewer: Viewer, ref: FileRef, format: Format, name: string) =>
    view(
      access,
      viewer,
      ref,
      format,
      Effect.flatMap(select(ref), (selector) =>
        StreamFiles.isName(format, name) || name === StreamFiles.poster
          ? conversions.findStreamFile(ref, selector, format, name)
          : Effect.fail(nowhere)
      )
    ).pipe(
      Effect.flatMap(({ conversion, fileId, found }): Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError> => {
        if (conversion === null) return Effect.fail(new StreamNotConverted())
        if (!sees(viewer, conversion.id)) return Effect.fail(nowhere)
        if (conversion.fault !== null) return Effect.fail(ofFault(conversion.fault))
        const { id: conversionId, state } = conversion
        if (found._tag === "Segment")
          return Effect.succeed(segmentOf(store, ref, { fileId, conversionId, name, state }, found))
        if (found._tag === "None") return Effect.fail(state === "READY" ? nowhere : new StreamNotReady())
        const contentType = StreamFiles.contentType(name)
        return Effect.succeed({ _tag: "Playlist", fileId, conversionId, name, state, contentType, text: found.text })
      })
    )

  const still = (viewer: Viewer, ref: FileRef, format: Format) =>
    Effect.filterOrFail(look(viewer, ref, format, StreamFiles.poster), isSegment, () => nowhere)

  return Streams.of({
    open: (viewer, ref, format, name, { patience } = {}) => {
      const opened = look(viewer, ref, format, name)
      return patience === undefined || !StreamFiles.isPlaylist(name)
        ? opened
        : Polling.look(signal, opened, isAwaited, patience)
    },

    poster: (viewer, ref) =>
      viewer._tag === "Playback"
        ? still(viewer, ref, viewer.stream.format)
        : Effect.catch(still(viewer, ref, "hls"), (first) =>
            // Whichever format was converted tells more of it than one that was not.
            Effect.mapError(still(viewer, ref, "dash"), (second) =>
              second._tag === "StreamNotConverted" ? first : second
            )
          ),

    show: Effect.fn("Streams.show")(function* (viewer, ref, format) {
      const found = Effect.map(find(files, ref), ({ content, id, name }) => ({ fileId: id, name, content }))
      const { content, fileId, name } = yield* view(access, viewer, ref, format, found)
      if (content === null) return yield* new ContentNotUploaded()
      const all = yield* conversions.ofContent(ref, content.blobId)
      const stored = all.find((one) => one.format === format)
      if (stored === undefined) return yield* new StreamNotConverted()
      if (!sees(viewer, stored.id)) return yield* nowhere
      if (stored.fault !== null) return yield* ofFault(stored.fault)
      return { fileId, conversionId: stored.id, name, record: fromStored(stored) }
    })
  })
})

export const layer: Layer.Layer<
  Streams,
  never,
  Access | FileRepository | ConversionRepository | ConversionNotifier | BlobStore
> = Layer.effect(Streams, make)
