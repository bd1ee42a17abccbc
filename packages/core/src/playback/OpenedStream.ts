/**
 * What is found of a stream, and why it is not.
 */
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import type * as Stream from "effect/Stream"
import type { AccessError } from "../access/Access.ts"
import type { NotFound } from "../Errors.ts"
import { etagOf } from "../files/File.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import * as Ids from "../Ids.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import type { BlobStore, ByteRange } from "../storage/BlobStore.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import type { Segment } from "../conversions/ConversionClaim.ts"
import type { ConversionFailed, NotAVideo, StreamNotConverted, StreamNotReady } from "../conversions/StreamErrors.ts"
import type { StreamRecord, StreamState } from "../conversions/StreamRecord.ts"

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

/** A segment with what is known of its blob. */
export const segmentOf = (
  store: BlobStore["Service"],
  { bucketId, tenantId }: BucketRef,
  about: Pick<OpenedSegment, "conversionId" | "fileId" | "name" | "state">,
  blob: Omit<Segment, "name">
): OpenedSegment => {
  const key = BlobKey.make({ tenantId, bucketId, blobId: blob.blobId })
  return {
    _tag: "Segment",
    ...about,
    contentType: StreamFiles.contentType(about.name),
    size: blob.size,
    etag: etagOf(blob.sha256),
    // A segment's blob is written once, when it is made, and so as old as its name.
    storedAt: DateTime.makeUnsafe(Ids.createdAt(blob.blobId)),
    read: (range) => store.read(key, range),
    localFile: store.localFile(key)
  }
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
