/**
 * The limits of tenants, which the operator sets, and what tenants and buckets use of them.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { type Forbidden, type InvalidRequest, NotFound } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import type { MetadataError } from "../MetadataError.ts"
import { QuotaOf } from "../quotas/CurrentQuota.ts"
import * as Quota from "../quotas/Quota.ts"
import { QuotaRepository } from "../quotas/QuotaRepository.ts"
import { Settings } from "../Settings.ts"
import { UsageRepository } from "./UsageRepository.ts"
import type { BucketUsage, TenantUsage } from "./UsageReport.ts"

export class Quotas extends Context.Service<
  Quotas,
  {
    /** Returns the limits of a tenant. For the operator. */
    readonly get: (
      actor: Actor,
      tenantId: string
    ) => Effect.Effect<Quota.TenantQuota, Forbidden | NotFound | MetadataError>

    /** Sets limits of a tenant. They hold for all nodes within a second. For the operator. */
    readonly set: (
      actor: Actor,
      tenantId: string,
      change: Quota.ChangeQuota
    ) => Effect.Effect<Quota.TenantQuota, Forbidden | InvalidRequest | NotFound | MetadataError>

    /** Returns what a tenant has, and its limits. */
    readonly ofTenant: (actor: Actor, tenantId: string) => Effect.Effect<TenantUsage, AccessError | NotFound>

    /** Returns what a bucket has, and its limits. */
    readonly ofBucket: (actor: Actor, bucket: BucketRef) => Effect.Effect<BucketUsage, AccessError | NotFound>
  }
>()("@holdfast/core/usage/Quotas") {}

const decodeChange = Input.decoder(Quota.ChangeQuota)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* QuotaRepository
  const usages = yield* UsageRepository
  const buckets = yield* BucketRepository
  const settings = yield* Settings
  const quotaOf = yield* QuotaOf
  const missing = new NotFound({ resource: "tenant" })
  const checkId = (tenantId: string) => (Ids.is("ten", tenantId) ? Effect.void : Effect.fail(missing))
  const toQuota = (own: Quota.OwnLimits): Quota.TenantQuota => ({ limits: { ...settings.quota, ...own }, own })

  return Quotas.of({
    get: Effect.fn("Quotas.get")(function* (actor, tenantId) {
      yield* access.requireSystem(actor)
      yield* checkId(tenantId)
      return toQuota(yield* NotFound.whenNone(repository.find(tenantId), missing))
    }),

    set: Effect.fn("Quotas.set")(function* (actor, tenantId, input) {
      yield* access.requireSystem(actor)
      yield* checkId(tenantId)
      const change = yield* decodeChange(input)
      return toQuota(yield* NotFound.whenNone(repository.change({ tenantId, change }), missing))
    }),

    ofTenant: Effect.fn("Quotas.ofTenant")(function* (actor, tenantId) {
      yield* access.require(actor, tenantId, "tenant:manage")
      yield* checkId(tenantId)
      const usage = yield* usages.ofTenant(tenantId)
      const counts = yield* repository.count(tenantId, yield* DateTime.now)
      return { usage: { ...usage, ...counts }, limits: yield* quotaOf(tenantId) }
    }),

    ofBucket: Effect.fn("Quotas.ofBucket")(function* (actor, bucket) {
      yield* access.require(actor, bucket, "bucket:read")
      if (!Ids.is("bkt", bucket.bucketId)) return yield* new NotFound({ resource: "bucket" })
      const usage = yield* usages.ofBucket(bucket)
      const found = yield* NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))
      return { usage, limits: { bytes: found.maxBytes, files: found.maxFiles } }
    })
  })
})

export const layer: Layer.Layer<Quotas, never, Access | QuotaRepository | UsageRepository | BucketRepository> =
  Layer.effect(Quotas, make)

/** Provides the quota of each tenant: the limits that the operator has set for it, otherwise those of the settings. */
export const layerQuotaOf: Layer.Layer<never, never, QuotaRepository> = Layer.effect(
  QuotaOf,
  Effect.gen(function* () {
    const repository = yield* QuotaRepository
    const { quota } = yield* Settings
    return (tenantId: string) =>
      Effect.map(repository.find(tenantId), (found) => ({ ...quota, ...Option.getOrUndefined(found) }))
  })
)
