/**
 * What `Streams` returns of a stream, and the errors for which it returns nothing.
 */
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AccessError } from "../access/Access.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Segment } from "../conversions/Publication.ts"
import type {
  ContentEncrypted,
  ConversionFailed,
  NotAVideo,
  StreamNotConverted,
  StreamNotReady
} from "../conversions/StreamErrors.ts"
import type { StreamRecord, StreamState } from "../conversions/StreamRecord.ts"
import type { NotFound } from "../Errors.ts"
import * as StoredContent from "../files/StoredContent.ts"
import { etagOf } from "../files/File.ts"
import type { ContentDamaged, ContentNotUploaded } from "../files/FileErrors.ts"
import * as Ids from "../Ids.ts"
import type { DamageReports } from "../integrity/DamageReports.ts"
import type { BlobError } from "../storage/BlobError.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"

/** The current text of a playlist or manifest. It may grow until the conversion is READY. */
export interface OpenedPlaylist {
  readonly _tag: "Playlist"
  readonly fileId: string
  readonly conversionId: string
  readonly name: string
  readonly state: StreamState
  readonly contentType: string
  readonly text: string
}

/** A segment, or the poster of a video. */
export interface OpenedSegment extends StoredContent.StoredContent {
  readonly _tag: "Segment"
  readonly fileId: string
  readonly conversionId: string
  readonly name: string
  /** Once READY, the bytes under this name of the conversion never change. */
  readonly state: StreamState
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** A strong entity tag, with its quotes. */
  readonly etag: string
  readonly storedAt: DateTime.Utc
}

/** Returns a segment with the facts of its blob. */
export const toOpenedSegment = (
  store: BlobStore["Service"],
  reports: DamageReports,
  { bucketId, tenantId }: BucketRef,
  segment: Pick<OpenedSegment, "conversionId" | "fileId" | "name" | "state">,
  blob: Omit<Segment, "name">
): OpenedSegment => ({
  _tag: "Segment",
  ...segment,
  contentType: StreamFiles.contentType(segment.name),
  size: blob.size,
  etag: etagOf(blob.sha256),
  // A blob of a segment is written once, right after its id is made. The id contains the time.
  storedAt: DateTime.makeUnsafe(Ids.createdAt(blob.blobId)),
  ...StoredContent.make(store, reports, { tenantId, bucketId, blobId: blob.blobId, size: blob.size })
})

/** Returns the poster that a caller set as a segment. */
export const toOpenedPoster = (
  segment: Pick<OpenedSegment, "conversionId" | "fileId" | "name" | "state">,
  blobId: string,
  image: Uint8Array,
  updatedAt: DateTime.Utc
): OpenedSegment => ({
  _tag: "Segment",
  ...segment,
  contentType: StreamFiles.contentType(segment.name),
  size: image.length,
  etag: `"${blobId}-${DateTime.toEpochMillis(updatedAt)}-${image.length}"`,
  storedAt: updatedAt,
  read: (range) =>
    Stream.succeed(range === undefined ? image : image.subarray(range.offset, range.offset + range.length)),
  localFile: undefined,
  check: Effect.void,
  reportDamage: Effect.void
})

/** A stream as a player page describes it. */
export interface StreamInfo {
  readonly fileId: string
  readonly conversionId: string
  /** The file's name. */
  readonly name: string
  readonly record: StreamRecord
  /** Whether it is known to have no picture. Before the conversion runs, nothing is known. */
  readonly isSound: boolean
  /** Whether it has a poster, or may get one: sound alone has one only if a caller set an image. */
  readonly hasPoster: boolean
}

export interface OpenOptions {
  /** How long to wait for a playlist that the conversion has not produced yet. Default: no wait. */
  readonly wait?: Duration.Duration | undefined
}

/** Why a file of a stream cannot be opened. */
export type StreamError =
  | AccessError
  | NotFound
  | ContentNotUploaded
  | ContentDamaged
  | StreamNotConverted
  | StreamNotReady
  | ConversionFailed
  | ContentEncrypted
  | NotAVideo
  | BlobError
