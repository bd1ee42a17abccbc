/**
 * The port that stores shares. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { CreatedBy } from "../../access/Creator.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { NotFound, QuotaExceeded } from "../../Errors.ts"
import type { MetadataError } from "../../MetadataError.ts"
import type { Slice } from "../../Page.ts"
import type { ShareExhausted, ShareRef, StoredShare } from "./Share.ts"

/** The fields that a change sets. */
export type ShareChange = {
  readonly [Field in "name" | "expiresAt" | "password" | "maxDownloads" | "maxFiles" | "maxBytes"]?:
    | StoredShare[Field]
    | undefined
} & {
  /** The new creator. */
  readonly createdBy?: CreatedBy | undefined
}

export class ShareRepository extends Context.Service<
  ShareRepository,
  {
    /**
     * Stores a share. Fails with `NotFound` when there is no such bucket, and with `QuotaExceeded` when the tenant has as many shares as
     * `CurrentQuota` permits.
     */
    readonly create: (creation: {
      readonly share: StoredShare
      /** SHA-256 of the token, hexadecimal. */
      readonly hash: string
    }) => Effect.Effect<void, NotFound | QuotaExceeded | MetadataError>

    readonly find: (share: ShareRef) => Effect.Effect<Option.Option<StoredShare>, MetadataError>

    /** Finds the share whose token has this hash. */
    readonly findByToken: (hash: string) => Effect.Effect<Option.Option<StoredShare>, MetadataError>

    /** Finds a share of a bucket that is not removed by its id alone, for a session that names the share. */
    readonly findById: (shareId: string) => Effect.Effect<Option.Option<StoredShare>, MetadataError>

    /** Lists the shares of a bucket, ordered by id, with expired ones. */
    readonly list: (
      query: { readonly bucket: BucketRef } & Slice
    ) => Effect.Effect<ReadonlyArray<StoredShare>, MetadataError>

    /**
     * Changes the fields that `change` has; one of the password increases `passwordVersion`. None when there is no such share. Fails with `QuotaExceeded` when the change makes an expired
     * share valid again, and the tenant has as many shares as `CurrentQuota` permits.
     */
    readonly update: (update: {
      readonly share: ShareRef
      readonly change: ShareChange
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<StoredShare>, QuotaExceeded | MetadataError>

    /** Deletes shares that expired before a time, the first of them first, at most `limit`. Returns their number. */
    readonly deleteExpired: (terms: {
      readonly before: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<number, MetadataError>

    /** Removes a share; false when there is none. */
    readonly remove: (share: ShareRef) => Effect.Effect<boolean, MetadataError>

    /**
     * Fails with `ShareExhausted` when the caps of a share do not permit another file of so many bytes. Files and bytes of open uploads
     * that have not expired count too. Fails with `NotFound` when there is no such share.
     */
    readonly checkUpload: (upload: {
      readonly shareId: string
      readonly bytes: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<void, NotFound | ShareExhausted | MetadataError>

    /** Counts a download, if `maxDownloads` permits another one. Returns whether it does. */
    readonly countDownload: (shareId: string) => Effect.Effect<boolean, MetadataError>

    /**
     * Counts an attempt to guess a password, if fewer than `most` were made since the window began. A window begins with the first attempt
     * after `windowStart`. Returns whether the attempt is permitted.
     */
    readonly countAttempt: (attempt: {
      readonly shareId: string
      readonly most: number
      readonly windowStart: DateTime.Utc
      readonly at: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /** Forgets the attempts, after the right password. */
    readonly forgetAttempts: (shareId: string) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/files/shares/ShareRepository") {}
