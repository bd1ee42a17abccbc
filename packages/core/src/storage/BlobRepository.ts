/**
 * The port that stores the state of every blob:
 *
 * - PENDING while its bytes are written, with a lease that the writing process renews; the blob of an upload in parts while the
 *   upload is open, with the upload's expiry as the end of its lease;
 * - READY while it is a file's content, a segment of a conversion, or a part of an upload or of a content;
 * - DOOMED when no row needs it any more, until it is swept.
 *
 * A blob's row is inserted before its first byte is written and deleted after its last byte is removed, so the store never
 * holds bytes without a row. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { ContentRules } from "../buckets/ContentRules.ts"
import type { NotFound, QuotaExceeded } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type * as BlobKey from "./BlobKey.ts"
import type { DamageKind } from "./DamageKind.ts"

export type BlobState = "PENDING" | "READY" | "DOOMED"

/** The row of a blob. */
export interface BlobRow extends BlobKey.Parts {
  readonly state: BlobState
  /** Bytes; null while PENDING. */
  readonly size: number | null
  /** Hexadecimal; null while PENDING. */
  readonly sha256: string | null
  /** The file whose content this blob is, or to whose conversion it belongs; null when there is none. */
  readonly fileId: string | null
  /** The damage that was found in the stored bytes and is not repaired; null for none. */
  readonly damage: DamageKind | null
  /** Whether the blob is a part of an open upload or of a composite content. */
  readonly isPart: boolean
  /** Null for a blob with bytes of its own; for a composite content, whether it has all of its parts. */
  readonly hasParts: boolean | null
}

/** A part of a composite content: a blob, whose bytes begin at a position of the content. */
export interface ContentPart {
  readonly blobId: string
  /** Where the part begins in the content, in bytes. */
  readonly start: number
  /** Bytes. */
  readonly size: number
  /** As in `UploadPart`. */
  readonly tag: string | null
}

/** The content that a blob is a part of. */
export interface WholeContent {
  readonly fileId: string
  /** The SHA-256 of the whole content, hexadecimal. */
  readonly sha256: string
  /** Where the part begins in it, in bytes. */
  readonly start: number
}

/** A position in the order of the due blobs. */
export interface DuePosition {
  readonly dueAt: DateTime.Utc
  readonly blobId: string
}

/** A blob that may be swept. */
export interface DueBlob extends BlobKey.Parts, DuePosition {}

export class BlobRepository extends Context.Service<
  BlobRepository,
  {
    /**
     * Inserts the row of a blob, PENDING, before its first byte is written. Fails with `NotFound` when there is no such
     * bucket. Returns the rules of the bucket's contents.
     */
    readonly stage: (staging: {
      readonly bucket: BucketRef
      readonly blobId: string
      readonly at: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<ContentRules, NotFound | MetadataError>

    /**
     * Reserves bytes of the limits for a PENDING blob, in place of what it has reserved before. Fails with `QuotaExceeded` when a
     * limit of `CurrentLimits` would be exceeded. The reservation ends when the blob is no longer PENDING.
     */
    readonly reserve: (reservation: {
      readonly bucket: BucketRef
      readonly blobId: string
      readonly bytes: number
    }) => Effect.Effect<void, NotFound | QuotaExceeded | MetadataError>

    /**
     * Renews the leases of PENDING blobs. Ids of other blobs are ignored. Waits for no other transaction: a lease whose row
     * is locked stays as it is until the next renewal.
     */
    readonly renew: (blobIds: ReadonlyArray<string>, leaseUntil: DateTime.Utc) => Effect.Effect<void, MetadataError>

    /**
     * Dooms the PENDING blobs whose lease ended before a time, or all of them except those of uploads in parts; they may be swept at
     * once. Works in short steps. Returns how many. `"all"` is correct only for a process that is the only user of the store.
     */
    readonly expire: (which: { readonly before: DateTime.Utc } | "all") => Effect.Effect<number, MetadataError>

    /**
     * Holds all blobs until a time: until then none is due, so that a backup can copy the blobs of the rows that it has read. A
     * call with the id of a hold prolongs it. A process that dies leaves a hold that ends by itself. A hold until
     * more than two days from now does not count: a clock was ahead.
     */
    readonly hold: (terms: {
      readonly holdId: string
      readonly now: DateTime.Utc
      readonly until: DateTime.Utc
    }) => Effect.Effect<void, MetadataError>

    /** Ends a hold. */
    readonly releaseHold: (holdId: string) => Effect.Effect<void, MetadataError>

    /** Lists the DOOMED blobs that may be swept at this time, oldest first, from a position on. None while blobs are held. */
    readonly listDue: (
      request: { readonly now: DateTime.Utc } & Slice<DuePosition>
    ) => Effect.Effect<ReadonlyArray<DueBlob>, MetadataError>

    /**
     * Claims those of the blobs that are still due: no sweep lists them as due before `leaseUntil`. Skips blobs that another process
     * claims at the same time, and all blobs while they are held. Returns the ids of the claimed ones.
     */
    readonly claimDue: (terms: {
      readonly blobIds: ReadonlyArray<string>
      readonly now: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<ReadonlySet<string>, MetadataError>

    /** Makes DOOMED blobs due at a time: those whose removal failed. */
    readonly postpone: (blobIds: ReadonlyArray<string>, dueAt: DateTime.Utc) => Effect.Effect<void, MetadataError>

    /**
     * Deletes the rows of blobs whose bytes are removed. READY blobs are ignored. Deletes the conversions of a deleted
     * content too; their segments become DOOMED and may be swept at once. So do the parts of a composite content and of an
     * upload, in steps before its own row is deleted.
     */
    readonly forget: (blobIds: ReadonlyArray<string>) => Effect.Effect<void, MetadataError>

    /**
     * Dooms the READY blobs among these that are neither a file's content, nor a conversion's segment, nor a part. Returns how many;
     * in a consistent database 0.
     */
    readonly doomUnreferenced: (
      blobIds: ReadonlyArray<string>,
      sweepAt: DateTime.Utc
    ) => Effect.Effect<number, MetadataError>

    /** Lists the parts of a composite content in their order: the one that has the byte `offset`, and those after it. */
    readonly listParts: (request: {
      readonly blobId: string
      readonly offset: number
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ContentPart>, MetadataError>

    /** Finds the content of a file that a blob is a part of; none while the digest of the content is not known. */
    readonly findWhole: (blobId: string) => Effect.Effect<Option.Option<WholeContent>, MetadataError>

    /** Lists the rows of all blobs, ordered by id, for the consistency check. */
    readonly list: (slice: Slice) => Effect.Effect<ReadonlyArray<BlobRow>, MetadataError>

    /** Returns those of the ids that have a row. */
    readonly filterKnown: (blobIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, MetadataError>
  }
>()("@holdfast/core/storage/BlobRepository") {}
