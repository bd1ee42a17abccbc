/**
 * Reads converted video and audio, also while the conversion runs.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Access, type AccessError, type Identity } from "../access/Access.ts"
import { CaptionRepository } from "../captions/CaptionRepository.ts"
import { ConversionNotifier } from "../conversions/ConversionNotifier.ts"
import { ConversionRepository, type StreamLookup } from "../conversions/ConversionRepository.ts"
import * as Polling from "../conversions/internal/Polling.ts"
import { toRecord } from "../conversions/StoredConversion.ts"
import { fromFault, StreamNotConverted, StreamNotReady } from "../conversions/StreamErrors.ts"
import type { StreamRecord } from "../conversions/StreamRecord.ts"
import { NotFound } from "../Errors.ts"
import { ContentDamaged, ContentNotUploaded } from "../files/FileErrors.ts"
import { getFile, toSelector } from "../files/internal/FileLookup.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import { DamageReports } from "../integrity/DamageReports.ts"
import { type ContentRef, PosterRepository } from "../posters/PosterRepository.ts"
import type { BlobRepository } from "../storage/BlobRepository.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import type { Format } from "../transcoding/Presentation.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import {
  type OpenedPlaylist,
  type OpenedSegment,
  type OpenOptions,
  type StreamError,
  type StreamInfo,
  toOpenedPoster,
  toOpenedSegment
} from "./OpenedStream.ts"
import * as AttachedFiles from "./internal/AttachedFiles.ts"
import * as MadeSegments from "./internal/MadeSegments.ts"
import * as PackagedSegments from "./internal/PackagedSegments.ts"
import * as SharedSegments from "./internal/SharedSegments.ts"
import { canSee, findForViewer, type Viewer } from "./Viewer.ts"

export class Streams extends Context.Service<
  Streams,
  {
    /**
     * Opens one file of a stream by its name (`StreamFiles`). One statement beside the check of the key; more for those that attached
     * captions change.
     *
     * - `StreamNotConverted`: no conversion to this format was requested.
     * - `StreamNotReady`: the conversion has not produced this file yet.
     * - `ConversionFailed`, `ContentEncrypted`, `NotAVideo`: the conversion FAILED.
     * - `ContentDamaged`: the stored bytes of the segment are known to be damaged.
     * - `NotFound`: the file does not exist, the stream has no file of this name, or the playback key is for another
     *   conversion.
     */
    readonly open: (
      viewer: Viewer,
      file: FileRef,
      format: Format,
      name: string,
      options?: OpenOptions
    ) => Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError>

    /**
     * Opens the poster of a video, which each conversion makes; waits some seconds for one that a worker is to make. `NotFound` if there is
     * none, as for audio.
     */
    readonly openPoster: (viewer: Viewer, file: FileRef) => Effect.Effect<OpenedSegment, StreamError>

    /** Returns the file's name and the state of a stream that is READY or may still become READY. */
    readonly get: (
      viewer: Viewer,
      file: FileRef,
      format: Format
    ) => Effect.Effect<StreamInfo, Exclude<StreamError, StreamNotReady>>

    /**
     * Returns the conversions of the current content, in the order of their formats; none for a file without content. The
     * holder of a playback key gets the conversion of that key.
     */
    readonly list: (viewer: Viewer, file: FileRef) => Effect.Effect<ReadonlyArray<StreamRecord>, AccessError | NotFound>
  }
>()("@holdfast/core/playback/Streams") {}

const streamNotFound = new NotFound({ resource: "stream" })

/** A worker is to make the poster of a stream that is READY already. */
const posterPending = new StreamNotReady()

/** How long a request waits for such a poster, which takes a second: a player requests it as soon as the stream is READY. */
const posterWait = Duration.seconds(10)

const isSegment = (opened: OpenedPlaylist | OpenedSegment): opened is OpenedSegment => opened._tag === "Segment"

/** Whether another format may succeed. A refused request is refused once, so that it is counted once. */
const dependsOnFormat = ({ _tag }: StreamError): boolean =>
  _tag !== "Unauthenticated" && _tag !== "OriginNotAllowed" && _tag !== "Forbidden" && _tag !== "MetadataError"

const isNotReady = (result: Result.Result<unknown, StreamError>): boolean =>
  Result.isFailure(result) && result.failure._tag === "StreamNotReady"

const isPosterPending = (result: Result.Result<unknown, StreamError>): boolean =>
  Result.isFailure(result) && result.failure === posterPending

/** Returns what was opened; fails if there is none. */
const orNotFound = <A>(opened: A | undefined) =>
  opened === undefined ? Effect.fail(streamNotFound) : Effect.succeed(opened)

const make = Effect.gen(function* () {
  const access = yield* Access
  const files = yield* FileRepository
  const conversions = yield* ConversionRepository
  const store = yield* BlobStore
  const reports = yield* DamageReports
  const notifier = yield* ConversionNotifier
  const openMade = MadeSegments.make()
  const openPackaged = yield* PackagedSegments.make(conversions, openMade)
  const openShared = yield* SharedSegments.make(conversions, openMade)
  const posters = yield* PosterRepository
  const withAttached = AttachedFiles.make(yield* CaptionRepository, conversions)

  /** Returns whether a caller set a poster for a content, and its picture is made. */
  const hasImage = (content: ContentRef) =>
    Effect.map(posters.find(content), (set) => Option.isSome(set) && set.value.image !== null)

  /** Opens what was found under a name. */
  const openFound = (
    ref: FileRef,
    format: Format,
    { blobId, found }: StreamLookup,
    segment: Pick<OpenedSegment, "conversionId" | "fileId" | "name" | "state">
  ): Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError> => {
    const { conversionId, fileId, name, state } = segment
    if (found._tag === "Segment") {
      return found.damaged
        ? Effect.fail(new ContentDamaged())
        : Effect.succeed(toOpenedSegment(store, reports, ref, segment, found))
    }
    if (found._tag === "Packaged") {
      if (found.damaged) return Effect.fail(new ContentDamaged())
      const { contentDamaged, index } = found
      return Effect.flatMap(openPackaged({ bucket: ref, blobId, index, contentDamaged, ...segment }), orNotFound)
    }
    if (found._tag === "Shared") {
      if (found.damaged) return Effect.fail(new ContentDamaged())
      return Effect.flatMap(openShared({ bucket: ref, tracks: found.tracks, ...segment }), orNotFound)
    }
    if (found._tag === "Pending") return Effect.fail(posterPending)
    const stored = found._tag === "Playlist" ? found.text : undefined
    const toOpened = (text: string): OpenedPlaylist => {
      const contentType = StreamFiles.contentType(name)
      return { _tag: "Playlist", fileId, conversionId, name, state, contentType, text }
    }
    if (state !== "READY" && stored === undefined) return Effect.fail(new StreamNotReady())
    return Effect.flatMap(withAttached({ bucket: ref, blobId, conversionId, state, format, name }, stored), (text) =>
      text === undefined ? Effect.fail(streamNotFound) : Effect.succeed(toOpened(text))
    )
  }

  const openOnce = (viewer: Viewer, ref: FileRef, format: Format, name: string) =>
    findForViewer(access, viewer, ref, format, (identity) =>
      Effect.flatMap(toSelector(ref, identity), (selector) =>
        StreamFiles.isName(format, name) || name === StreamFiles.poster || StreamFiles.isOfStoryboard(name)
          ? conversions.findStreamFile({ bucket: ref, selector, format, name: AttachedFiles.storedName(format, name) })
          : Effect.fail(streamNotFound)
      )
    ).pipe(
      Effect.flatMap((lookup): Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError> => {
        const { blobId, conversion, fileId } = lookup
        if (conversion === null) return Effect.fail(new StreamNotConverted())
        if (!canSee(viewer, conversion.id)) return Effect.fail(streamNotFound)
        if (conversion.fault !== null) return Effect.fail(fromFault(conversion.fault))
        const segment = { fileId, conversionId: conversion.id, name, state: conversion.state }
        const opened = openFound(ref, format, lookup, segment)
        if (name !== StreamFiles.poster) return opened
        return Effect.flatMap(posters.find({ bucket: ref, blobId }), (set) =>
          Option.isSome(set) && set.value.image !== null
            ? Effect.succeed(toOpenedPoster(segment, blobId, set.value.image, set.value.updatedAt))
            : opened
        )
      })
    )

  const openPosterOf = (viewer: Viewer, ref: FileRef, format: Format) =>
    Effect.filterOrFail(
      Polling.pollUntil(notifier, openOnce(viewer, ref, format, StreamFiles.poster), isPosterPending, posterWait),
      isSegment,
      () => streamNotFound
    )

  return Streams.of({
    open: (viewer, ref, format, name, { wait } = {}) => {
      const opened = openOnce(viewer, ref, format, name)
      return wait === undefined || !StreamFiles.isPlaylist(name)
        ? opened
        : Polling.pollUntil(notifier, opened, isNotReady, wait)
    },

    openPoster: (viewer, ref) =>
      viewer._tag === "PlaybackGrant"
        ? openPosterOf(viewer, ref, viewer.stream.format)
        : Effect.catchIf(openPosterOf(viewer, ref, "hls"), dependsOnFormat, (hlsError) =>
            // The error of the format that was requested says more than `StreamNotConverted` of the other one.
            Effect.mapError(openPosterOf(viewer, ref, "dash"), (dashError) =>
              dashError._tag === "StreamNotConverted" ? hlsError : dashError
            )
          ),

    get: Effect.fn("Streams.get")(function* (viewer, ref, format) {
      const found = (identity: Identity | "anonymous") =>
        Effect.map(getFile(files, ref, identity), ({ content, id, name }) => ({ fileId: id, name, content }))
      const { content, fileId, name } = yield* findForViewer(access, viewer, ref, format, found)
      if (content === null) return yield* new ContentNotUploaded()
      const all = yield* conversions.listByContent(ref, content.blobId)
      const stored = all.find((one) => one.format === format)
      if (stored === undefined) return yield* new StreamNotConverted()
      if (!canSee(viewer, stored.id)) return yield* streamNotFound
      if (stored.fault !== null) return yield* fromFault(stored.fault)
      const record = toRecord(stored)
      const isSound = record.renditions.length > 0 && record.renditions.every(({ width }) => width === null)
      const hasPoster = !isSound || (yield* hasImage({ bucket: ref, blobId: content.blobId }))
      return { fileId, conversionId: stored.id, name, record, isSound, hasPoster }
    }),

    list: Effect.fn("Streams.list")(function* (viewer, ref) {
      const found = (identity: Identity | "anonymous") =>
        Effect.map(getFile(files, ref, identity), ({ content, id }) => ({ fileId: id, content }))
      const { content } = yield* findForViewer(access, viewer, ref, undefined, found)
      if (content === null) return []
      const all = yield* conversions.listByContent(ref, content.blobId)
      return all.filter(({ id }) => canSee(viewer, id)).map(toRecord)
    })
  })
})

export const layer: Layer.Layer<
  Streams,
  never,
  | Access
  | BlobRepository
  | FileRepository
  | CaptionRepository
  | ConversionRepository
  | ConversionNotifier
  | PosterRepository
  | BlobStore
> = Layer.effect(Streams, make)
