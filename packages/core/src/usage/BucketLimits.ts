/**
 * The limits on files and bytes of buckets and their tenants, for the uploads of this process. A look-up is cached for a second.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isFresh } from "../access/internal/CacheLifetime.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { QuotaOf } from "../quotas/CurrentQuota.ts"
import { LimitsOf, unlimited, type UsageLimits } from "./UsageLimits.ts"

/** Milliseconds. */
const lifetime = 1000

/** The most cached look-ups. The bound keeps requests for many buckets from growing the process. */
const capacity = 10_000

interface Entry {
  readonly limits: UsageLimits
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

const hasLimit = ({ bucket, tenant }: UsageLimits): boolean =>
  [bucket.bytes, bucket.files, tenant.bytes, tenant.files].some((limit) => limit !== null)

/** Provides `LimitsOf`. */
export const layer: Layer.Layer<never, never, BucketRepository> = Layer.effect(
  LimitsOf,
  Effect.gen(function* () {
    const buckets = yield* BucketRepository
    const quotaOf = yield* QuotaOf
    const cache = new Map<string, Entry>()

    const find = Effect.fnUntraced(function* (bucket: BucketRef) {
      const tenant = yield* quotaOf(bucket.tenantId)
      const found = Option.getOrUndefined(yield* buckets.find(bucket))
      const limits = {
        bucket: { bytes: found?.maxBytes ?? null, files: found?.maxFiles ?? null },
        tenant: { bytes: tenant.bytes, files: tenant.files }
      }
      return hasLimit(limits) ? limits : unlimited
    })

    return (bucket: BucketRef) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const key = `${bucket.tenantId} ${bucket.bucketId}`
        const entry = cache.get(key)
        if (entry !== undefined && isFresh(entry.expiresAt, now, lifetime)) return Effect.succeed(entry.limits)
        return Effect.map(find(bucket), (limits) => {
          if (cache.size >= capacity) cache.clear()
          cache.set(key, { limits, expiresAt: now + lifetime })
          return limits
        })
      })
  })
)
