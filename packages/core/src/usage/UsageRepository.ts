/**
 * The port of the usage counters. The store keeps them in the transaction of each change, so that they are exact at any time.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { NotFound } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Usage } from "./Usage.ts"

/** A difference between the counters of an owner and what they count. */
export interface UsageDrift {
  readonly owner: "tenant" | "bucket"
  readonly ownerId: string
  /** What the counters lack; less than zero for what they have too much. */
  readonly missing: Usage
}

/** A part of the owners, by id. */
export interface Recount {
  readonly owner: "tenant" | "bucket"
  /** The id of the last owner of the part before. */
  readonly after?: string | undefined
  readonly limit: number
  /** Whether to add what the counters lack. */
  readonly repair: boolean
}

export interface Recounted {
  readonly drifts: ReadonlyArray<UsageDrift>
  /** The id of the last owner; null when no owner follows. */
  readonly last: string | null
}

export class UsageRepository extends Context.Service<
  UsageRepository,
  {
    /** Returns what a tenant uses: the sum of its buckets. Reads a fixed number of rows. */
    readonly ofTenant: (tenantId: string) => Effect.Effect<Usage, NotFound | MetadataError>

    /** Returns what a bucket uses. Reads a fixed number of rows. */
    readonly ofBucket: (bucket: BucketRef) => Effect.Effect<Usage, NotFound | MetadataError>

    /**
     * Compares the counters of some buckets with their files, streams and reservations, or those of some tenants with the counters of
     * their buckets. Correct while other processes change them; reads all files of these buckets.
     */
    readonly recount: (part: Recount) => Effect.Effect<Recounted, MetadataError>

    /** Counts the tenants and buckets, at most `limit`, whose counters the last recount found wrong and did not repair. */
    readonly countDrifts: (limit: number) => Effect.Effect<number, MetadataError>
  }
>()("@holdfast/core/usage/UsageRepository") {}
