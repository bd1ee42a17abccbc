/**
 * The port that stores buckets. Each method is one atomic step on one tenant.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { NotFound, QuotaExceeded } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type { Bucket, BucketExists, BucketNotEmpty, UpdateBucket } from "./Bucket.ts"
import type { BucketRef } from "./BucketRef.ts"

export class BucketRepository extends Context.Service<
  BucketRepository,
  {
    /**
     * Stores a bucket. Fails with `NotFound` when there is no such tenant, and with `QuotaExceeded` when `CurrentQuota` leaves no
     * room for another bucket.
     */
    readonly create: (
      tenantId: string,
      bucket: Bucket
    ) => Effect.Effect<void, BucketExists | NotFound | QuotaExceeded | MetadataError>

    readonly find: (bucket: BucketRef) => Effect.Effect<Option.Option<Bucket>, MetadataError>

    /** Finds a bucket by its name. */
    readonly findByName: (tenantId: string, name: string) => Effect.Effect<Option.Option<Bucket>, MetadataError>

    /** Lists a tenant's buckets, ordered by id: all of them, or those of the ids in `only`. */
    readonly list: (
      query: { readonly tenantId: string; readonly only?: ReadonlyArray<string> | undefined } & Slice
    ) => Effect.Effect<ReadonlyArray<Bucket>, MetadataError>

    /** Changes the fields that `change` has. None when there is no such bucket. */
    readonly update: (update: {
      readonly bucket: BucketRef
      readonly change: UpdateBucket
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<Bucket>, BucketExists | MetadataError>

    /**
     * Removes a bucket; false when there is none. With `force`, removes its files too: their blobs become DOOMED and may
     * be swept from `sweepAt` on. Without `force`, fails with `BucketNotEmpty` when the bucket has files. Uploads in
     * progress fail at their commit.
     */
    readonly remove: (removal: {
      readonly bucket: BucketRef
      readonly force: boolean
      readonly sweepAt: DateTime.Utc
    }) => Effect.Effect<boolean, BucketNotEmpty | MetadataError>
  }
>()("@holdfast/core/buckets/BucketRepository") {}
