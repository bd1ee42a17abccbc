/**
 * The port that finishes the removal of large buckets and tenants. The request marks the bucket or tenant as removed, so that no
 * other operation finds it. Its rows are then deleted in steps, each of which is one short transaction.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"

/** A removal that this process has claimed. */
export interface RemovalClaim {
  /** The id of the bucket or tenant. */
  readonly id: string
  readonly tenantId: string
  readonly kind: "BUCKET" | "TENANT"
  readonly lease: string
  /** Rows that were deleted before this claim. */
  readonly deleted: number
}

/** The result of a step. */
export interface RemovalStep {
  /**
   * - `PENDING`: further rows are left.
   * - `WAITING`: the rest depends on other removals, such as those of a tenant's buckets.
   * - `DONE`: nothing is left.
   * - `LOST`: the lease has expired, and another process may have claimed the removal. Nothing was deleted.
   */
  readonly state: "PENDING" | "WAITING" | "DONE" | "LOST"
  /** Rows that this step deleted. */
  readonly deleted: number
}

export class RemovalRepository extends Context.Service<
  RemovalRepository,
  {
    /** Claims the removal that has waited longest; none when none is due. */
    readonly claim: (terms: {
      readonly lease: string
      readonly leaseUntil: DateTime.Utc
      readonly now: DateTime.Utc
    }) => Effect.Effect<Option.Option<RemovalClaim>, MetadataError>

    /** Deletes at most `limit` rows and renews the lease. Blobs of deleted files become DOOMED. */
    readonly step: (terms: {
      readonly claim: RemovalClaim
      readonly limit: number
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<RemovalStep, MetadataError>

    /** Releases a claimed removal: another process may claim it from `dueAt` on. */
    readonly release: (claim: RemovalClaim, dueAt: DateTime.Utc) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/buckets/RemovalRepository") {}
