/**
 * The port that stores captions that are attached to contents. Those of a content are removed when `BlobRepository.forget` forgets its blob.
 * Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { NotFound, QuotaExceeded } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { AttachedCaptions } from "./AttachedCaptions.ts"

/** The content of a file. */
export interface ContentRef {
  readonly bucket: BucketRef
  /** The blob of the content. */
  readonly blobId: string
}

export interface NewCaptions extends ContentRef {
  readonly fileId: string
  readonly id: string
  readonly language: string
  readonly label: string
  /** The cues, as WebVTT without its header. */
  readonly cues: string
  readonly createdAt: DateTime.Utc
  /** How many the content may have with them. */
  readonly maximum: number
}

export class CaptionRepository extends Context.Service<
  CaptionRepository,
  {
    /**
     * Attaches captions. `NotFound` if no file has the content any more; `QuotaExceeded` for more than `maximum`, and beyond a limit of
     * `CurrentLimits`: the cues count among the bytes of streams.
     */
    readonly attach: (captions: NewCaptions) => Effect.Effect<void, NotFound | QuotaExceeded | MetadataError>

    /** Returns the captions of a content, in the order in which they were attached. */
    readonly listByContent: (content: ContentRef) => Effect.Effect<ReadonlyArray<AttachedCaptions>, MetadataError>

    /** Finds the cues of captions, as WebVTT without its header. */
    readonly findCues: (
      captions: ContentRef & { readonly id: string }
    ) => Effect.Effect<Option.Option<string>, MetadataError>

    /** Removes captions. Returns whether they existed. */
    readonly remove: (captions: ContentRef & { readonly id: string }) => Effect.Effect<boolean, MetadataError>
  }
>()("@holdfast/core/captions/CaptionRepository") {}
