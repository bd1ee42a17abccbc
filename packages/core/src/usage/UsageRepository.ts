/**
 * The port of the usage counters. The store keeps them in the transaction of each change, so that they are exact at any time.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { NotFound } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Usage } from "./Usage.ts"

export class UsageRepository extends Context.Service<
  UsageRepository,
  {
    /** Returns what a tenant uses: the sum of its buckets. Reads a fixed number of rows. */
    readonly ofTenant: (tenantId: string) => Effect.Effect<Usage, NotFound | MetadataError>

    /** Returns what a bucket uses. Reads a fixed number of rows. */
    readonly ofBucket: (bucket: BucketRef) => Effect.Effect<Usage, NotFound | MetadataError>
  }
>()("@holdfast/core/usage/UsageRepository") {}
