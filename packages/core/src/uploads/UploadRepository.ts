/**
 * The port that stores uploads in parts. Each method is one atomic step. `FileRepository` completes an upload, in the step that
 * stores the file (`Assembly`).
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { ContentRules } from "../buckets/ContentRules.ts"
import type { NotFound, QuotaExceeded } from "../Errors.ts"
import type { ShareExhausted } from "../files/shares/Share.ts"
import type { UploadExpired } from "../files/FileErrors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type * as BlobKey from "../storage/BlobKey.ts"
import type { StoredUpload, UploadPart } from "./Upload.ts"
import type { UploadSuperseded } from "./UploadErrors.ts"

/** An upload of a bucket. */
export interface UploadRef extends BucketRef {
  /** The `id` of the upload. */
  readonly uploadId: string
}

/** A stored blob that becomes a part. */
export interface NewPart {
  readonly blobId: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly tag: string | null
}

/** How many open uploads there may be. */
export interface OpenLimits {
  /** Of the tenant. */
  readonly maxOpen: number
  /**
   * By the same upload link or share (`UploadTerms.link`). Of these a client has another one only while it has fewer than are free: half of
   * them at most, so that some are left for other clients.
   */
  readonly maxOfLink: number
}

export class UploadRepository extends Context.Service<
  UploadRepository,
  {
    /**
     * Stores an OPEN upload without parts, and stages its blob until the upload expires. Its `replacedFileId` becomes null where another
     * open upload has the same. Reserves the declared length, less the bytes that it replaces, unless the upload has partial ones, which
     * have reserved it. Fails with `NotFound` when there is no such bucket, and with `QuotaExceeded` when a limit of `CurrentLimits` would be exceeded, or when
     * the tenant has `maxOpen` open uploads already, or the link or client of the upload as many as `maxOfLink` permits. Fails with `ShareExhausted` when the share of
     * the upload (`UploadTerms.shareId`) has no room for it. Returns the rules of the bucket's contents.
     */
    readonly create: (
      upload: StoredUpload,
      most: OpenLimits
    ) => Effect.Effect<ContentRules, NotFound | QuotaExceeded | ShareExhausted | MetadataError>

    /** Finds an upload of a bucket that exists, also when it is not OPEN. Returns the rules of the bucket's contents with it. */
    readonly find: (
      upload: UploadRef
    ) => Effect.Effect<Option.Option<{ readonly upload: StoredUpload; readonly rules: ContentRules }>, MetadataError>

    /** Returns the bytes of the content that an upload replaces, if it is still that of the file at its place; 0 for none. */
    readonly replacedBytes: (upload: StoredUpload) => Effect.Effect<number, MetadataError>

    /** Lists the OPEN uploads of a bucket that have not expired, by id. */
    readonly list: (
      request: { readonly bucket: BucketRef; readonly now: DateTime.Utc } & Slice
    ) => Effect.Effect<ReadonlyArray<StoredUpload>, MetadataError>

    /**
     * Increases the epoch of an OPEN upload that has not expired, so that no former request can append to it any more. Returns the
     * upload then; none when there is no such upload.
     */
    readonly takeOver: (
      upload: UploadRef,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<StoredUpload>, MetadataError>

    /** Prolongs an OPEN upload until a time. Fails with `NotFound` when there is none. */
    readonly prolong: (terms: {
      readonly upload: UploadRef
      readonly expiresAt: DateTime.Utc
    }) => Effect.Effect<void, NotFound | MetadataError>

    /** Declares the length of an upload without one, and reserves the bytes. Fails as `create`, with `NotFound` when there is none. */
    readonly declareLength: (
      upload: UploadRef,
      declared: { readonly length: number; readonly now: DateTime.Utc }
    ) => Effect.Effect<StoredUpload, NotFound | QuotaExceeded | ShareExhausted | MetadataError>

    /**
     * Makes a PENDING blob a part of an OPEN upload, prolongs the upload until `expiresAt`, and reserves the part's bytes where its
     * upload has no declared length, as far as they exceed those that the upload replaces. `at` is where the part goes:
     *
     * - an offset and an epoch: the next part of an APPEND upload. Fails with `UploadSuperseded` when the upload has another offset
     *   or epoch by now.
     * - a number: that part. A former part of this number becomes DOOMED, so that the last one to finish wins.
     *
     * Fails with `NotFound` when the upload is not OPEN, with `UploadExpired` when the blob is no longer PENDING, and with
     * `ShareExhausted` when the share of an upload without a declared length has no room for the part. Returns the upload then.
     */
    readonly addPart: (terms: {
      readonly upload: UploadRef
      readonly at: { readonly offset: number; readonly epoch: number } | { readonly number: number }
      readonly part: NewPart
      readonly now: DateTime.Utc
      readonly expiresAt: DateTime.Utc
    }) => Effect.Effect<
      StoredUpload,
      NotFound | QuotaExceeded | ShareExhausted | UploadExpired | UploadSuperseded | MetadataError
    >

    /** Lists the parts of an upload by number, after a number. */
    readonly listParts: (
      request: Pick<StoredUpload, "blobId"> & Slice<number>
    ) => Effect.Effect<ReadonlyArray<UploadPart>, MetadataError>

    /**
     * Ends an OPEN upload; its parts may be swept at once. Its partial uploads stay as they are. Fails with `NotFound` when there is
     * none.
     */
    readonly abort: (upload: UploadRef) => Effect.Effect<void, NotFound | MetadataError>

    /**
     * Claims a composite content whose SHA-256 is not known yet: no other process claims it before `leaseUntil`. None when there is
     * no such content. Forgets contents that no file has any more.
     */
    readonly claimDigest: (terms: {
      readonly now: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<Option.Option<BlobKey.Parts>, MetadataError>

    /** Makes the claim of a content end at a time: later, to renew it, or when it may be claimed again after a failure. */
    readonly postponeDigest: (blobId: string, dueAt: DateTime.Utc) => Effect.Effect<void, MetadataError>

    /** Records the SHA-256 of a composite content in its file. Tasks of mirrors that wait for it become due. */
    readonly recordDigest: (content: {
      readonly blobId: string
      readonly sha256: string
    }) => Effect.Effect<void, MetadataError>

    /**
     * Deletes the rows of at most `limit` uploads that have expired. Their blobs end with their own leases. Returns how many.
     */
    readonly deleteExpired: (terms: {
      readonly now: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<number, MetadataError>
  }
>()("@holdfast/core/uploads/UploadRepository") {}
