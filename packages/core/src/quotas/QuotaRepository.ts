/**
 * The port that stores the limits of single tenants, counts what a tenant has, and knows which limits were reached. The methods of other
 * ports that let a use grow note it, with an event `quota.reached`.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"
import type { ChangeQuota, Counts, OwnLimits } from "./Quota.ts"
import type { ReachedLimit } from "./ReachedLimit.ts"

export class QuotaRepository extends Context.Service<
  QuotaRepository,
  {
    /** Returns the limits that the operator has set for a tenant, in one statement. None when there is no such tenant. */
    readonly find: (tenantId: string) => Effect.Effect<Option.Option<OwnLimits>, MetadataError>

    /** Sets the limits that `change` has. Returns the limits after the change; none when there is no such tenant. */
    readonly change: (update: {
      readonly tenantId: string
      readonly change: ChangeQuota
    }) => Effect.Effect<Option.Option<OwnLimits>, MetadataError>

    /** Counts what a tenant has. Reads at most `mostCounted` rows of an index for each. */
    readonly count: (tenantId: string, now: DateTime.Utc) => Effect.Effect<Counts, MetadataError>

    /** Lists the limits that were reached and are not forgotten, in any fixed order. */
    readonly listReached: (position: {
      readonly after: ReachedLimit | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ReachedLimit>, MetadataError>

    /**
     * Forgets that a limit was reached when its owner uses less than `below` or exists no more, so that reaching it leaves an event
     * again. Returns whether it did.
     */
    readonly forgetReached: (terms: {
      readonly reached: ReachedLimit
      readonly below: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /** Counts the tenants that are near a limit or have reached it, and those that have reached one, of at most `limit` such limits. */
    readonly countReached: (
      limit: number
    ) => Effect.Effect<{ readonly near: number; readonly reached: number }, MetadataError>
  }
>()("@holdfast/core/quotas/QuotaRepository") {}
