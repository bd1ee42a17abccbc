/**
 * Reading converted video and audio, also while the conversion runs.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import { Access, type AccessError } from "../access/Access.ts"
import { NotFound } from "../Errors.ts"
import { etagOf } from "../files/File.ts"
import { ContentNotUploaded } from "../files/FileErrors.ts"
import { find, select } from "../files/FileLookup.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import * as Ids from "../Ids.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobStore, type ByteRange } from "../storage/BlobStore.ts"
import type { Format } from "../transcoding/Presentation.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { ConversionSignal } from "./ConversionSignal.ts"
import { type ConversionFailed, type NotAVideo, ofFault, StreamNotConverted, StreamNotReady } from "./StreamErrors.ts"
import { fromStored, type StreamRecord, type StreamState } from "./StreamRecord.ts"
import { view, type Viewer } from "./Viewer.ts"
import * as Waiting from "./Waiting.ts"

/** A playlist or manifest as it stands; it may grow until the conversion is READY. */
export interface OpenedPlaylist {
  readonly _tag: "Playlist"
  readonly fileId: string
  readonly name: string
  readonly state: StreamState
  readonly contentType: string
  readonly text: string
}

/** A segment, or the still of a video, which never changes. */
export interface OpenedSegment {
  readonly _tag: "Segment"
  readonly fileId: string
  readonly name: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** Strong, with its quotes. */
  readonly etag: string
  readonly storedAt: DateTime.Utc
  /** The bytes, or a range of them; each call begins anew. */
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, BlobError>
  /** A local file that holds exactly the bytes, where the store has one; it may be gone when it is opened. */
  readonly localFile: string | undefined
}

/** What a page that plays a stream says of it. */
export interface ShownStream {
  readonly fileId: string
  /** The file's. */
  readonly name: string
  readonly record: StreamRecord
}

export interface OpenOptions {
  /** How long to wait for a playlist that is still to come. Default: not at all. */
  readonly patience?: Duration.Duration | undefined
}

/** Why a file of a stream cannot be had. */
export type StreamError =
  | AccessError
  | NotFound
  | ContentNotUploaded
  | StreamNotConverted
  | StreamNotReady
  | ConversionFailed
  | NotAVideo

export class Streams extends Context.Service<
  Streams,
  {
    /**
     * Finds one file of a stream by its name (`StreamFiles`), in one statement besides the key check.
     *
     * - `StreamNotConverted`: nobody has asked for this format.
     * - `StreamNotReady`: the conversion has not made this file yet; it may still come.
     * - `ConversionFailed`, `NotAVideo`: it never will.
     * - `NotFound`: there is no such file, or the stream has none of this name.
     */
    readonly open: (
      viewer: Viewer,
      file: FileRef,
      format: Format,
      name: string,
      options?: OpenOptions
    ) => Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError>

    /**
     * Finds the still of a video, which is made with its first conversion; the key for either format will do. `NotFound`
     * when the conversions have made none, as of sound alone.
     */
    readonly poster: (viewer: Viewer, file: FileRef) => Effect.Effect<OpenedSegment, StreamError>

    /** How far a stream is that plays or still may, and what the file is called. */
    readonly show: (
      viewer: Viewer,
      file: FileRef,
      format: Format
    ) => Effect.Effect<ShownStream, Exclude<StreamError, StreamNotReady>>
  }
>()("@holdfast/core/streams/Streams") {}

const nowhere = new NotFound({ resource: "stream" })

const isSegment = (opened: OpenedPlaylist | OpenedSegment): opened is OpenedSegment => opened._tag === "Segment"

const isAwaited = (found: Result.Result<unknown, StreamError>): boolean =>
  Result.isFailure(found) && found.failure._tag === "StreamNotReady"

const make = Effect.gen(function* () {
  const access = yield* Access
  const files = yield* FileRepository
  const conversions = yield* ConversionRepository
  const store = yield* BlobStore
  const signal = yield* ConversionSignal

  const segment = (ref: FileRef, fileId: string, name: string, blob: { readonly blobId: string; readonly size: number; readonly sha256: string }): OpenedSegment => {
    const key = BlobKey.make({ tenantId: ref.tenantId, bucketId: ref.bucketId, blobId: blob.blobId })
    return {
      _tag: "Segment",
      fileId,
      name,
      contentType: StreamFiles.contentType(name),
      size: blob.size,
      etag: etagOf(blob.sha256),
      // A segment's blob is written once, when it is made, and so as old as its name.
      storedAt: DateTime.makeUnsafe(Ids.createdAt(blob.blobId)),
      read: (range) => store.read(key, range),
      localFile: store.localFile(key)
    }
  }

  const look = (viewer: Viewer, ref: FileRef, format: Format, name: string, anyFormat = false) =>
    view(
      access,
      viewer,
      ref,
      anyFormat ? undefined : format,
      Effect.flatMap(select(ref), (selector) =>
        StreamFiles.isName(format, name) ? conversions.look(ref, selector, format, name) : Effect.fail(nowhere)
      )
    ).pipe(
      Effect.flatMap(({ conversion, fileId, found }): Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError> => {
        if (conversion === null) return Effect.fail(new StreamNotConverted())
        if (conversion.fault !== null) return Effect.fail(ofFault(conversion.fault))
        if (found._tag === "Segment") return Effect.succeed(segment(ref, fileId, name, found))
        if (found._tag === "None") return Effect.fail(conversion.state === "READY" ? nowhere : new StreamNotReady())
        const contentType = StreamFiles.contentType(name)
        return Effect.succeed({ _tag: "Playlist", fileId, name, state: conversion.state, contentType, text: found.text })
      })
    )

  const still = (viewer: Viewer, ref: FileRef, format: Format) =>
    Effect.filterOrFail(look(viewer, ref, format, StreamFiles.poster, true), isSegment, () => nowhere)

  return Streams.of({
    open: (viewer, ref, format, name, { patience } = {}) => {
      const opened = look(viewer, ref, format, name)
      return patience === undefined || !StreamFiles.isPlaylist(name)
        ? opened
        : Waiting.look(signal, opened, isAwaited, patience)
    },

    poster: (viewer, ref) =>
      Effect.catch(still(viewer, ref, "hls"), (first) =>
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
      return stored.fault === null ? { fileId, name, record: fromStored(stored) } : yield* ofFault(stored.fault)
    })
  })
})

export const layer: Layer.Layer<
  Streams,
  never,
  Access | FileRepository | ConversionRepository | ConversionSignal | BlobStore
> = Layer.effect(Streams, make)
