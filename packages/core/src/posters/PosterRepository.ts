/**
 * The port that stores the posters that callers set for contents. That of a content is removed when `BlobRepository.forget` forgets its
 * blob. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { LeaseLost } from "../conversions/ConversionClaim.ts"
import type { NotFound, QuotaExceeded } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"

/** The content of a file. */
export interface ContentRef {
  readonly bucket: BucketRef
  /** The blob of the content. */
  readonly blobId: string
}

/** A poster that is set. */
export interface NewPoster extends ContentRef {
  readonly fileId: string
  /** Seconds; null for an image. */
  readonly time: number | null
  /** The JPEG; null until a worker has made the picture of `time`. */
  readonly image: Uint8Array | null
  readonly updatedAt: DateTime.Utc
}

/** The poster of a content. */
export interface StoredPoster extends Pick<NewPoster, "time" | "updatedAt"> {
  /** The JPEG; null for a picture that is not made yet, if there was none before. */
  readonly image: Uint8Array | null
}

/** A picture that a worker makes. */
export interface PictureTask extends BucketRef {
  readonly fileId: string
  /** The blob of the content. */
  readonly blobId: string
  readonly time: number
  /** When another worker may claim it. It identifies the claim. */
  readonly leaseUntil: DateTime.Utc
}

export class PosterRepository extends Context.Service<
  PosterRepository,
  {
    /**
     * Sets the poster of a content. One for a time keeps the former image until the picture is made. `NotFound` if no file has the content
     * any more; `QuotaExceeded` when the image would exceed a limit of `CurrentLimits`.
     */
    readonly set: (poster: NewPoster) => Effect.Effect<void, NotFound | QuotaExceeded | MetadataError>

    /** Finds the poster that was set for a content. */
    readonly find: (content: ContentRef) => Effect.Effect<Option.Option<StoredPoster>, MetadataError>

    /** Removes the poster that was set. Returns whether it existed. */
    readonly remove: (content: ContentRef) => Effect.Effect<boolean, MetadataError>

    /** Claims the picture that has been due for longest; none if none is due. */
    readonly claim: (terms: {
      readonly now: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<Option.Option<PictureTask>, MetadataError>

    /**
     * Ends a claim: stores the picture, or removes a poster of which none could be made. Fails with `LeaseLost` when the poster was set
     * again or removed, or another worker has claimed it; with `QuotaExceeded` as `set` does.
     */
    readonly complete: (
      task: PictureTask,
      image: Uint8Array | null,
      now: DateTime.Utc
    ) => Effect.Effect<void, LeaseLost | QuotaExceeded | MetadataError>

    /**
     * Expires the leases of all claims. Returns their number. Only for a process that is known to be the only one of its deployment, like
     * `ConversionRepository.expireLeases`.
     */
    readonly expireLeases: (now: DateTime.Utc) => Effect.Effect<number, MetadataError>
  }
>()("@holdfast/core/posters/PosterRepository") {}
