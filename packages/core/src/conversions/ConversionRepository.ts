/**
 * The port that stores conversions. A conversion belongs to one content of a file, identified by the content's blob. A new
 * content has no conversions; those of a blob are removed when `BlobRepository.forget` forgets the blob. Each method is one
 * atomic step.
 *
 * The row of a conversion is its own queue entry. A worker claims it with a lease; every claim gets a `fencingToken` that no
 * other claim of the conversion ever gets. Later calls of the worker take effect only while its lease is valid. Otherwise
 * they change nothing and fail with `LeaseLost`, and the worker must stop.
 *
 * A READY copy may have a ladder pending: its lower renditions, which a worker claims and publishes in the same way. The copy stays READY
 * meanwhile, whatever becomes of the ladder.
 */
import * as Context from "effect/Context"
import type * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { NotFound, QuotaExceeded } from "../Errors.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import type { Selector } from "../files/FileRef.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Copy } from "../transcoding/LadderPlaylists.ts"
import type { Format, Presentation } from "../transcoding/Presentation.ts"
import type { ConversionClaim, LeaseLost } from "./ConversionClaim.ts"
import type { Publication, Segment } from "./Publication.ts"
import type { ConversionFault, StoredConversion } from "./StoredConversion.ts"
import type { TooManyConversions } from "./StreamErrors.ts"

/** A request for a conversion of a file's content. */
export interface ConversionRequest {
  readonly bucket: BucketRef
  readonly fileId: string
  /** The blob of the content. */
  readonly blobId: string
  /** Id of the conversion if this request creates it. */
  readonly id: string
  readonly format: Format
  readonly mode: Mode
  /** Conversions that the tenant may have pending, including this one. */
  readonly maxPending: number | null
  readonly now: DateTime.Utc
}

/** Names one file of a stream of a file's current content. */
export interface StreamFileRef {
  readonly bucket: BucketRef
  readonly selector: Selector
  readonly format: Format
  readonly name: string
}

/** One file of a stream, with the conversion that produces it. */
export interface StreamLookup {
  readonly fileId: string
  /** The blob of the file's content. */
  readonly blobId: string
  /** Null if no conversion to this format was requested. */
  readonly conversion: Pick<StoredConversion, "id" | "state" | "fault"> | null
  readonly found: Data.TaggedEnum<{
    Segment: Omit<Segment, "name"> & { readonly damaged: boolean }
    Playlist: { readonly text: string }
    /**
     * The segment may be cut from the content by this index, or made of stored video and the audio of the content, if it has any. `damaged`:
     * the index is.
     */
    Packaged: { readonly index: Omit<Segment, "name">; readonly damaged: boolean; readonly contentDamaged: boolean }
    /** A segment of HLS may be made of those of DASH by these tracks (`packaging/SharedTracks`). */
    Shared: { readonly tracks: Omit<Segment, "name">; readonly damaged: boolean }
    /** A poster that a worker is to make. */
    Pending: {}
    None: {}
  }>
}

/** A segment from which another one is made. */
export interface SharedSegment extends Segment {
  readonly damaged: boolean
}

export interface ClaimTerms {
  readonly now: DateTime.Utc
  readonly leaseUntil: DateTime.Utc
  /** When the segments of an earlier claim may be swept. */
  readonly sweepAt: DateTime.Utc
  /** Claims only a conversion that is due since this time. Default: `now`. */
  readonly dueBy?: DateTime.Utc | undefined
  /** Claims no conversion of these tenants. */
  readonly exceptTenants?: ReadonlyArray<string> | undefined
  /** Whether to claim a ladder if no conversion is due. Default: false. */
  readonly ladders?: boolean | undefined
  /** Claims this conversion, or none. */
  readonly conversionId?: string | undefined
}

/** Blobs for segments that are to be uploaded. */
export interface StagedBlobs {
  readonly blobIds: ReadonlyArray<string>
  readonly now: DateTime.Utc
  readonly leaseUntil: DateTime.Utc
}

export interface ConversionFailure {
  readonly fault: ConversionFault
  readonly now: DateTime.Utc
  /** When the segments of this claim may be swept. */
  readonly sweepAt: DateTime.Utc
}

export interface ReleaseTerms {
  /** When a worker may claim the conversion again. */
  readonly retryAt: DateTime.Utc
  /** Whether the claim counts as an attempt. */
  readonly countAttempt: boolean
  /** When the segments of this claim may be swept. */
  readonly sweepAt: DateTime.Utc
  /** The mode of the next claim. Default: that of this one. */
  readonly mode?: Mode | undefined
}

/** A READY conversion, from which the other format of the same content can be made. */
export interface ReadyConversion {
  readonly conversionId: string
  readonly mode: Mode
  readonly presentation: Presentation
  /** None of a shared presentation, whose files need no copy. */
  readonly segments: ReadonlyArray<Pick<Segment, "name" | "blobId">>
  /** The text of its storyboard; null if it has none. */
  readonly storyboard: string | null
}

/** Files that join a READY conversion. Their blobs have been staged. */
export type Addition = Pick<Publication, "segments" | "playlists">

/** A READY conversion to which files are added: by the claim that made it READY, or with its poster. */
export type AddedTo = Pick<ConversionClaim, "bucketId" | "conversionId" | "fileId" | "tenantId">

/** The poster and the storyboard of a READY conversion, which a worker has claimed to make them. */
export interface PosterTask extends BucketRef {
  readonly conversionId: string
  readonly fileId: string
  /** The blob of the content. */
  readonly blobId: string
  readonly presentation: Presentation
  readonly hasPoster: boolean
  readonly hasStoryboard: boolean
  /** When another worker may claim it. It identifies the claim. */
  readonly leaseUntil: DateTime.Utc
}

/** Pending conversions of the whole deployment. */
export interface ConversionQueueDepth {
  /** Those that wait for a worker or for a retry, including those with an expired lease. */
  readonly queued: number
  /** Those with a valid lease. */
  readonly leased: number
}

export class ConversionRepository extends Context.Service<
  ConversionRepository,
  {
    /**
     * Requests a conversion and returns it. An existing one is returned unchanged, however many requests arrive at once; a
     * FAILED one becomes QUEUED again. `NotFound` if no file has the content any more. `TooManyConversions` if a new or FAILED
     * one would exceed `maxPending`; conversions of replaced and removed contents do not count.
     */
    readonly request: (
      request: ConversionRequest
    ) => Effect.Effect<StoredConversion, NotFound | TooManyConversions | MetadataError>

    /** Returns the conversions of a content, in the order of their formats. */
    readonly listByContent: (
      bucket: BucketRef,
      blobId: string
    ) => Effect.Effect<ReadonlyArray<StoredConversion>, MetadataError>

    /** Finds one file of a stream of a file's current content, in one statement. */
    readonly findStreamFile: (
      ref: StreamFileRef
    ) => Effect.Effect<StreamLookup, NotFound | ContentNotUploaded | MetadataError>

    /** Finds segments of a conversion by their names, in one statement: its own, or those that it shares. */
    readonly findSegments: (
      conversionId: string,
      names: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SharedSegment>, MetadataError>

    /**
     * Removes a conversion in any state. Its segments become DOOMED, unless another one shares them, which gets them. Returns whether it
     * existed.
     */
    readonly remove: (conversion: {
      readonly bucket: BucketRef
      readonly blobId: string
      readonly format: Format
      /** When the conversion's segments may be swept. */
      readonly sweepAt: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /**
     * Replaces the READY conversion of which a blob is a segment by a new one, which is QUEUED: of the same content, format and mode,
     * with another id, because clients may have cached segments of the old one. One that shares the segment is replaced likewise. The old
     * segments become DOOMED. Returns whether there was such a conversion.
     */
    readonly replaceDamaged: (segment: {
      readonly blobId: string
      /** Id of the new conversion, and of a new one that shares its segments. */
      readonly id: string
      readonly sharerId: string
      readonly now: DateTime.Utc
      readonly sweepAt: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /**
     * Claims a due conversion; an expired lease makes a conversion due, too. None if none is due. The tenant with the fewest
     * running conversions is served first; among equals, and among the conversions of a tenant, the oldest one.
     * What an earlier claim published becomes DOOMED. After an expired lease the claim counts as an interruption and not as an
     * attempt. A DASH conversion is not claimed while an HLS conversion of the same
     * content is pending, because DASH can then be made from HLS.
     */
    readonly claim: (terms: ClaimTerms) => Effect.Effect<Option.Option<ConversionClaim>, MetadataError>

    /** Renews the lease. */
    readonly renew: (claim: ConversionClaim, leaseUntil: DateTime.Utc) => Effect.Effect<void, LeaseLost | MetadataError>

    /**
     * Inserts the blobs of segments before their first byte is written: PENDING, with leases of their own. Also for a READY conversion.
     */
    readonly stage: (
      claim: ConversionClaim | AddedTo,
      blobs: StagedBlobs
    ) => Effect.Effect<void, LeaseLost | MetadataError>

    /**
     * Publishes segments and playlists, and renews the lease. The presentation of a ladder is that of the copy with its renditions; it
     * takes effect with the last step. Also fails with `LeaseLost` if the sweeper has removed a staged
     * blob, and with `QuotaExceeded` when a limit of `CurrentLimits` would be exceeded.
     */
    readonly publish: (
      claim: ConversionClaim,
      publication: Publication
    ) => Effect.Effect<void, LeaseLost | QuotaExceeded | MetadataError>

    /**
     * Adds files to a READY conversion. Fails with `LeaseLost` if it was removed or replaced since, if another claim has made it READY,
     * or if the sweeper has removed a staged blob; with `QuotaExceeded` as `publish` does.
     */
    readonly append: (
      conversion: ConversionClaim | AddedTo,
      addition: Addition
    ) => Effect.Effect<void, LeaseLost | QuotaExceeded | MetadataError>

    /** Ends the claim with a FAILED conversion, or with a copy without ladder; the segments of the claim become DOOMED. */
    readonly fail: (
      claim: ConversionClaim,
      failure: ConversionFailure
    ) => Effect.Effect<void, LeaseLost | MetadataError>

    /** Ends the claim with a conversion, or a ladder, that is due at `retryAt`; the segments of the claim become DOOMED. */
    readonly release: (claim: ConversionClaim, terms: ReleaseTerms) => Effect.Effect<void, LeaseLost | MetadataError>

    /**
     * Releases the running conversion of the claim's content to DASH, without an attempt, if it has made less than half: it is made from that
     * of the claim then, and the content is not converted twice at once. Does nothing if the claim is not of HLS or was lost, or if the other
     * one has to encode tracks that the claim may copy.
     */
    readonly releaseDash: (
      claim: ConversionClaim,
      terms: Pick<ConversionFailure, "now" | "sweepAt">
    ) => Effect.Effect<void, MetadataError>

    /**
     * Expires the leases of all claims, also those of pictures. Returns their number. Only for a process that is known to be the only one of its
     * deployment: the processes that held the leases have died.
     */
    readonly expireLeases: (now: DateTime.Utc) => Effect.Effect<number, MetadataError>

    /**
     * Counts the pending conversions of the whole deployment in one statement, whose cost does not grow with the number of
     * finished conversions. It counts at most `limit` that are due, and at most `limit` that are leased or due later.
     */
    readonly queueDepth: (now: DateTime.Utc, limit: number) => Effect.Effect<ConversionQueueDepth, MetadataError>

    /** Finds the copy whose ladder was claimed. */
    readonly findCopy: (claim: ConversionClaim) => Effect.Effect<Option.Option<Copy>, MetadataError>

    /** Claims the pictures that have been due for longest; none if none are due. */
    readonly claimPoster: (
      terms: Pick<ClaimTerms, "leaseUntil" | "now">
    ) => Effect.Effect<Option.Option<PosterTask>, MetadataError>

    /**
     * Adds the poster to the files of the conversion. Its blob is PENDING. Fails with `LeaseLost` when the conversion was removed, or
     * another worker has claimed its pictures.
     */
    readonly publishPoster: (
      task: PosterTask,
      poster: Segment
    ) => Effect.Effect<void, LeaseLost | QuotaExceeded | MetadataError>

    /**
     * Makes the pictures of a conversion due no longer: at the end of a task, or by the claim that made it READY. Fails with `LeaseLost`
     * like `publishPoster`.
     */
    readonly completePictures: (
      conversion: ConversionClaim | PosterTask
    ) => Effect.Effect<void, LeaseLost | MetadataError>

    /** Finds the conversion of the claim's content to another format, if it is READY. */
    readonly findReady: (
      claim: Pick<ConversionClaim, "blobId" | "bucketId" | "format" | "tenantId">
    ) => Effect.Effect<Option.Option<ReadyConversion>, MetadataError>
  }
>()("@holdfast/core/conversions/ConversionRepository") {}
