/**
 * The port that keeps conversions. A conversion belongs to one content of a file, named by the content's blob: a new
 * content has none, and those of a blob go when `BlobRepository.forget` forgets it. Each method is one atomic step.
 *
 * A conversion is its own job. A worker claims it with a lease, and each claim has a number of its own, `attempt`, that no
 * other claim of the conversion ever gets. Whatever the worker tells afterwards counts only while that claim stands:
 * otherwise nothing changes, and it is told `ClaimLost` and has to stop.
 */
import * as Context from "effect/Context"
import type * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { NotFound } from "../Errors.ts"
import type { ContentNotUploaded } from "../files/FileErrors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Selector } from "../files/FileRef.ts"
import type { Doom } from "../files/FileRepository.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Mode } from "../transcoding/ConversionPlan.ts"
import type { Format } from "../transcoding/Presentation.ts"
import type { ConversionClaim, ClaimLost, Publication, Segment, ReadyConversion } from "./ConversionClaim.ts"
import type { ConversionFault, StoredConversion } from "./StreamRecord.ts"

/** A content, and the file that it belongs to. */
export interface Source {
  readonly fileId: string
  readonly blobId: string
}

/** What a conversion is asked to be. */
export interface Wanted {
  /** For a conversion that does not stand yet. */
  readonly id: string
  readonly format: Format
  readonly mode: Mode
}

/** One file of a stream, or how far the conversion is that would make it. */
export interface StreamLookup {
  readonly fileId: string
  /** Null when nobody has asked for this format. */
  readonly conversion: Pick<StoredConversion, "id" | "state" | "fault"> | null
  readonly found: Data.TaggedEnum<{ Segment: Omit<Segment, "name">; Playlist: { readonly text: string }; None: {} }>
}

/** Conversions of the whole deployment that are not done yet. */
export interface ConversionQueueDepth {
  /** Those that wait for a worker, those included whose worker's lease has ended, or that wait to be tried again. */
  readonly queued: number
  /** Those that a worker has. */
  readonly leased: number
}

export class ConversionRepository extends Context.Service<
  ConversionRepository,
  {
    /**
     * Asks for a conversion. One that stands is left as it is, however many ask at once; a FAILED one begins anew.
     * `NotFound` when the content is no file's any more. Answers with the conversion as it stands afterwards.
     */
    readonly request: (
      bucket: BucketRef,
      source: Source,
      wanted: Wanted,
      at: DateTime.Utc
    ) => Effect.Effect<StoredConversion, NotFound | MetadataError>

    /** The conversions of a content, by format. */
    readonly ofContent: (
      bucket: BucketRef,
      blobId: string
    ) => Effect.Effect<ReadonlyArray<StoredConversion>, MetadataError>

    /** One file of a stream of a file's current content; one statement. */
    readonly findStreamFile: (
      bucket: BucketRef,
      selector: Selector,
      format: Format,
      name: string
    ) => Effect.Effect<StreamLookup, NotFound | ContentNotUploaded | MetadataError>

    /** Removes a conversion, whatever its state; its segments become DOOMED. Whether there was one. */
    readonly remove: (
      bucket: BucketRef,
      blobId: string,
      format: Format,
      doom: Doom
    ) => Effect.Effect<boolean, MetadataError>

    /**
     * Claims the conversion that has waited longest, or whose worker's lease has ended; none when there is nothing to do. What a
     * former claim published becomes DOOMED. A DASH conversion waits for an HLS one of the same content that is under
     * way, to be made from it.
     */
    readonly claim: (
      at: DateTime.Utc,
      leaseUntil: DateTime.Utc,
      doom: Doom
    ) => Effect.Effect<Option.Option<ConversionClaim>, MetadataError>

    /** Prolongs a claim. */
    readonly renew: (claim: ConversionClaim, leaseUntil: DateTime.Utc) => Effect.Effect<void, ClaimLost | MetadataError>

    /** Announces the blobs of segments before their first byte: PENDING, with a lease of their own. */
    readonly stage: (
      claim: ConversionClaim,
      blobIds: ReadonlyArray<string>,
      at: DateTime.Utc,
      leaseUntil: DateTime.Utc
    ) => Effect.Effect<void, ClaimLost | MetadataError>

    /** Makes segments and playlists public; the claim is prolonged. `ClaimLost` also when a staged blob was given up. */
    readonly publish: (
      claim: ConversionClaim,
      publication: Publication
    ) => Effect.Effect<void, ClaimLost | MetadataError>

    /** Ends a claim with the conversion FAILED; its segments become DOOMED. */
    readonly fail: (
      claim: ConversionClaim,
      fault: ConversionFault,
      at: DateTime.Utc,
      doom: Doom
    ) => Effect.Effect<void, ClaimLost | MetadataError>

    /** Ends a claim with the conversion QUEUED again, from a time on; one that is not `counted` was no try. */
    readonly release: (
      claim: ConversionClaim,
      retryAt: DateTime.Utc,
      counted: boolean,
      doom: Doom
    ) => Effect.Effect<void, ClaimLost | MetadataError>

    /**
     * Ends the leases of all claims; how many. Right only for a process that knows to be alone: whoever had them is dead.
     */
    readonly expire: (at: DateTime.Utc) => Effect.Effect<number, MetadataError>

    /**
     * What there is to do in the whole deployment; one statement, whose cost does not grow with the conversions that are
     * done. At most `limit` that are due are counted, and at most as many that are due later or leased.
     */
    readonly queueDepth: (at: DateTime.Utc, limit: number) => Effect.Effect<ConversionQueueDepth, MetadataError>

    /** The conversion of a claim's content into another format, if it is READY. */
    readonly findReady: (claim: ConversionClaim) => Effect.Effect<Option.Option<ReadyConversion>, MetadataError>
  }
>()("@holdfast/core/conversions/ConversionRepository") {}
