/**
 * What is found of a stream, and why it is not.
 */
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import type * as Stream from "effect/Stream"
import type { AccessError } from "../access/Access.ts"
import type { NotFound } from "../Errors.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import type { BlobError } from "../storage/BlobError.ts"
import type { ByteRange } from "../storage/BlobStore.ts"
import type { ConversionFailed, NotAVideo, StreamNotConverted, StreamNotReady } from "./StreamErrors.ts"
import type { StreamRecord, StreamState } from "./StreamRecord.ts"

/** A playlist or manifest as it stands; it may grow until the conversion is READY. */
export interface OpenedPlaylist {
  readonly _tag: "Playlist"
  readonly fileId: string
  readonly conversionId: string
  readonly name: string
  readonly state: StreamState
  readonly contentType: string
  readonly text: string
}

/** A segment, or the still of a video. */
export interface OpenedSegment {
  readonly _tag: "Segment"
  readonly fileId: string
  readonly conversionId: string
  readonly name: string
  /** Once READY, the conversion has no other bytes under this name. */
  readonly state: StreamState
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
  readonly conversionId: string
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
