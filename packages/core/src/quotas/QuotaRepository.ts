/**
 * The port that stores the limits of single tenants, and counts what a tenant has.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"
import type { ChangeQuota, Counts, OwnLimits } from "./Quota.ts"

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
  }
>()("@holdfast/core/quotas/QuotaRepository") {}
