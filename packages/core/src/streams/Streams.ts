/**
 * Reading converted video and audio, also while the conversion runs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { NotFound } from "../Errors.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import { etagOf } from "../files/File.ts"
import { select } from "../files/FileLookup.ts"
import type { FileRef } from "../files/FileRef.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobStore, type ByteRange } from "../storage/BlobStore.ts"
import type { Format } from "../transcoding/Presentation.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { type ConversionFailed, type NotAVideo, ofFault, StreamNotConverted, StreamNotReady } from "./StreamErrors.ts"
import type { StreamState } from "./StreamRecord.ts"

/** A playlist or manifest as it stands; it may grow until the conversion is READY. */
export interface OpenedPlaylist {
  readonly _tag: "Playlist"
  readonly fileId: string
  readonly state: StreamState
  readonly contentType: string
  readonly text: string
}

/** A segment, which never changes. */
export interface OpenedSegment {
  readonly _tag: "Segment"
  readonly fileId: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** Strong, with its quotes. */
  readonly etag: string
  /** The bytes, or a range of them; each call begins anew. */
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, BlobError>
  /** A local file that holds exactly the bytes, where the store has one; it may be gone when it is opened. */
  readonly localFile: string | undefined
}

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
      actor: Actor,
      file: FileRef,
      format: Format,
      name: string
    ) => Effect.Effect<
      OpenedPlaylist | OpenedSegment,
      AccessError | NotFound | ContentNotUploaded | StreamNotConverted | StreamNotReady | ConversionFailed | NotAVideo
    >
  }
>()("@holdfast/core/streams/Streams") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const conversions = yield* ConversionRepository
  const store = yield* BlobStore

  return Streams.of({
    open: Effect.fn("Streams.open")(function* (actor, ref, format, name) {
      yield* access.require(actor, ref.tenantId, "file:read")
      const selector = yield* select(ref)
      if (!StreamFiles.isName(format, name)) return yield* new NotFound({ resource: "stream" })
      const { conversion, fileId, found } = yield* conversions.look(ref, selector, format, name)
      if (conversion === null) return yield* new StreamNotConverted()
      if (conversion.fault !== null) return yield* ofFault(conversion.fault)
      const contentType = StreamFiles.contentType(name)
      switch (found._tag) {
        case "Playlist":
          return { _tag: "Playlist" as const, fileId, state: conversion.state, contentType, text: found.text }
        case "Segment": {
          const key = BlobKey.make({ tenantId: ref.tenantId, bucketId: ref.bucketId, blobId: found.blobId })
          return {
            _tag: "Segment" as const,
            fileId,
            contentType,
            size: found.size,
            etag: etagOf(found.sha256),
            read: (range?: ByteRange) => store.read(key, range),
            localFile: store.localFile(key)
          }
        }
        case "None":
          return yield* conversion.state === "READY" ? new NotFound({ resource: "stream" }) : new StreamNotReady()
      }
    })
  })
})

export const layer: Layer.Layer<Streams, never, Access | ConversionRepository | BlobStore> = Layer.effect(Streams, make)
