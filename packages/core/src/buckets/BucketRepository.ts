/**
 * The port that keeps buckets. Each method is one atomic step, and sees one tenant alone.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { NotFound } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Bucket, BucketExists, BucketNotEmpty, UpdateBucket } from "./Bucket.ts"

export class BucketRepository extends Context.Service<
  BucketRepository,
  {
    /** Stores a bucket; `NotFound` when there is no such tenant. */
    readonly create: (tenantId: string, bucket: Bucket) => Effect.Effect<void, BucketExists | NotFound | MetadataError>

    readonly find: (tenantId: string, bucketId: string) => Effect.Effect<Option.Option<Bucket>, MetadataError>

    /** Buckets ordered by id. */
    readonly list: (
      tenantId: string,
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Bucket>, MetadataError>

    readonly update: (
      tenantId: string,
      bucketId: string,
      change: UpdateBucket,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<Bucket>, BucketExists | MetadataError>

    /**
     * Removes a bucket; false when there is none. With `force` also its files, whose blobs become DOOMED, to be swept
     * from `sweepAt` on; without, a bucket that has files is left as it is. Uploads that are under way
     * fail at their commit.
     */
    readonly remove: (
      tenantId: string,
      bucketId: string,
      options: { readonly force: boolean; readonly sweepAt: DateTime.Utc }
    ) => Effect.Effect<boolean, BucketNotEmpty | MetadataError>
  }
>()("@holdfast/core/buckets/BucketRepository") {}
