/**
 * The quota that the changes of an effect must keep.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { MetadataError } from "../MetadataError.ts"
import { type Quota, Settings } from "../Settings.ts"

/** The quota that repositories check, in the transaction that creates a record. By default they check none. */
export const CurrentQuota = Context.Reference<Quota | undefined>("@holdfast/core/quotas/CurrentQuota", {
  defaultValue: () => undefined
})

/** Returns the quota of a tenant. By default that of the settings. */
export const QuotaOf = Context.Reference<(tenantId: string) => Effect.Effect<Quota, MetadataError>>(
  "@holdfast/core/quotas/QuotaOf",
  { defaultValue: () => () => Effect.map(Settings, ({ quota }) => quota) }
)

/** Makes the function that runs the changes of an effect within the quota of a tenant. */
export const withinQuota = Effect.map(
  QuotaOf,
  (quotaOf) =>
    (tenantId: string) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | MetadataError, R> =>
      Effect.flatMap(quotaOf(tenantId), (quota) => Effect.provideService(self, CurrentQuota, quota))
)
