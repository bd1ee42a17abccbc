/**
 * A worker's hold on a conversion, and what it makes public while it has it.
 */
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Format, Presentation } from "../transcoding/Presentation.ts"

/** Another worker has the conversion, it was cancelled, or its content is no file's any more. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{}> {
  override readonly message = "The conversion is not this worker's any more."
}

/** A worker's hold on a conversion. */
export interface ConversionClaim extends BucketRef {
  readonly conversionId: string
  readonly fileId: string
  /** The content's. */
  readonly blobId: string
  readonly attempt: number
  /** How many claims have been used up since the conversion was asked for, this one included. */
  readonly tries: number
  readonly format: Format
  readonly mode: Mode
}

/** A segment whose bytes are durable. */
export interface Segment {
  readonly name: string
  readonly blobId: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

export interface Playlist {
  readonly name: string
  readonly text: string
}

/** What a worker makes public in one step. */
export interface Publication {
  /** Their blobs were staged. */
  readonly segments: ReadonlyArray<Segment>
  /** Each takes the place of an earlier one of its name; it names segments of this step or earlier ones alone. */
  readonly playlists: ReadonlyArray<Playlist>
  /** From 0 to 1. */
  readonly progress: number
  readonly presentation: Presentation
  /** Whether this is all, so that the conversion becomes READY. */
  readonly isFinished: boolean
  readonly at: DateTime.Utc
  readonly leaseUntil: DateTime.Utc
}

/** Another conversion of a claim's content that is READY. */
export interface ReadyConversion {
  readonly mode: Mode
  readonly presentation: Presentation
  readonly segments: ReadonlyArray<Pick<Segment, "name" | "blobId">>
}
