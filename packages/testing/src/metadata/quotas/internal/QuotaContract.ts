/**
 * The contract of `QuotaRepository`.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { CurrentQuota } from "@holdfast/core/quotas/CurrentQuota"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import * as Settings from "@holdfast/core/Settings"
import type { Quota } from "@holdfast/core/Settings"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import { ShareRepository } from "@holdfast/core/files/shares/ShareRepository"
import { WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as MirrorFixtures from "../../mirrors/MirrorFixtures.ts"
import * as Sample from "../../Sample.ts"
import * as ShareFixtures from "../../shares/ShareFixtures.ts"
import * as WebhookFixtures from "../../webhooks/WebhookFixtures.ts"

export const quotaContract = (it: It): void => {
  it.effect("change: numbers, null and default → the own limits of the tenant; unknown or removed tenant → none", () =>
    Effect.gen(function* () {
      const quotas = yield* QuotaRepository
      const [tenantId, other] = [yield* Fixtures.tenant, yield* Fixtures.tenant]
      const find = quotas.find(tenantId)
      expect(yield* find).toEqual(Option.some({}))
      const first = { bytes: 2 ** 50, files: null, buckets: 0 }
      expect(yield* quotas.change({ tenantId, change: first })).toEqual(Option.some(first))
      const second = { bytes: "default", buckets: 7 } as const
      expect(yield* quotas.change({ tenantId, change: second })).toEqual(Option.some({ files: null, buckets: 7 }))
      expect(yield* find).toEqual(Option.some({ files: null, buckets: 7 }))
      expect(yield* quotas.find(other)).toEqual(Option.some({}))
      expect(yield* quotas.change({ tenantId: Sample.id("ten"), change: first })).toEqual(Option.none())
      yield* (yield* TenantRepository).remove({ tenantId, force: true, sweepAt: Sample.at() })
      expect(yield* find).toEqual(Option.none())
    })
  )

  it.effect("change: 20 at the same time, each of another limit or the same → none is lost", () =>
    Effect.gen(function* () {
      const quotas = yield* QuotaRepository
      const tenantId = yield* Fixtures.tenant
      const changes = [{ bytes: 1 }, { files: 2 }, { buckets: 3 }, { mirrors: 4 }]
      yield* Fixtures.concurrently(20, (index) => quotas.change({ tenantId, change: changes[index % 4] ?? {} }))
      expect(yield* quotas.find(tenantId)).toEqual(Option.some({ bytes: 1, files: 2, buckets: 3, mirrors: 4 }))
    })
  )

  it.effect("count: removed buckets, revoked and expired tokens, other tenants → not counted", () =>
    Effect.gen(function* () {
      const quotas = yield* QuotaRepository
      const buckets = yield* BucketRepository
      const tokens = yield* TokenRepository
      const { bucketId, tenantId } = yield* Fixtures.bucket()
      yield* Fixtures.bucket(tenantId)
      yield* Fixtures.member(yield* Fixtures.tenant)
      const { id: memberId } = yield* Fixtures.member(tenantId)
      const now = Sample.at()
      const create = (fields: Partial<ReturnType<typeof Sample.token>>) => {
        const token = { ...Sample.token(memberId), ...fields }
        return Effect.as(tokens.create({ tenantId, token, hash: Sample.hash() }), token.id)
      }
      const later = DateTime.addDuration(now, "1 minute")
      const [revoked] = [yield* create({}), yield* create({ expiresAt: null }), yield* create({ expiresAt: later })]
      yield* create({ expiresAt: now })
      const counts = { buckets: 2, members: 1, tokens: 3, mirrors: 0, webhooks: 0, shares: 0, conversions: 0 }
      expect(yield* quotas.count(tenantId, now)).toEqual(counts)
      yield* tokens.revoke({ tenantId, tokenId: revoked, at: now })
      yield* buckets.remove({ bucket: { tenantId, bucketId }, force: true, sweepAt: now })
      expect(yield* quotas.count(tenantId, now)).toEqual({ ...counts, buckets: 1, tokens: 2 })
      expect(yield* quotas.count(tenantId, DateTime.addDuration(now, "2 minutes"))).toMatchObject({ tokens: 1 })
    })
  )

  it.effect("create: 20 at the same time, quota leaves room for 5 → 5 succeed, the others get QuotaExceeded", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const members = yield* MemberRepository
      const mirrors = yield* MirrorRepository
      const tokens = yield* TokenRepository
      const { bucketId, tenantId } = yield* Fixtures.bucket()
      const { id: memberId } = yield* Fixtures.member(tenantId)
      const newToken = Effect.suspend(() => {
        const token = Sample.token(memberId)
        return tokens.create({ tenantId, token, hash: Sample.hash() })
      })
      const expectRoom = Effect.fnUntraced(function* <E>(
        limit: keyof Quota,
        maximum: number,
        create: Effect.Effect<unknown, E>
      ) {
        const quota = { ...Settings.defaults.quota, [limit]: maximum }
        const results = yield* Fixtures.concurrently(20, () => Effect.provideService(create, CurrentQuota, quota))
        expect(results.filter(Result.isSuccess)).toHaveLength(5)
        for (const { failure } of results.filter(Result.isFailure)) {
          expect(failure).toMatchObject({
            _tag: "QuotaExceeded",
            quota: { owner: "tenant", limit, maximum, use: maximum }
          })
        }
      })
      yield* expectRoom(
        "buckets",
        6,
        Effect.suspend(() => buckets.create(tenantId, Sample.bucket()))
      )
      yield* expectRoom(
        "members",
        6,
        Effect.suspend(() => members.add(tenantId, Sample.member()))
      )
      yield* expectRoom("tokens", 5, newToken)
      yield* expectRoom("tokensPerMember", 10, newToken)
      yield* expectRoom(
        "mirrors",
        5,
        Effect.suspend(() => mirrors.create(MirrorFixtures.newMirror({ tenantId, bucketId })))
      )
      const webhooks = yield* WebhookRepository
      const shares = yield* ShareRepository
      yield* expectRoom(
        "webhooks",
        5,
        Effect.suspend(() => webhooks.create(WebhookFixtures.newWebhook(tenantId)))
      )
      yield* expectRoom(
        "shares",
        5,
        Effect.suspend(() =>
          shares.create({ share: ShareFixtures.newShare({ tenantId, bucketId }), hash: Sample.hash() })
        )
      )
      expect(yield* (yield* QuotaRepository).count(tenantId, Sample.at())).toEqual({
        buckets: 6,
        members: 6,
        tokens: 10,
        mirrors: 5,
        webhooks: 5,
        shares: 5,
        conversions: 0
      })
    })
  )

  it.effect("create: quota of a tenant is used up → another tenant has room; no quota → room", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const { tenantId } = yield* Fixtures.bucket()
      const quota = { ...Settings.defaults.quota, buckets: 1 }
      const create = (owner: string) =>
        Effect.suspend(() => buckets.create(owner, Sample.bucket())).pipe(Effect.provideService(CurrentQuota, quota))
      expect(yield* Effect.flip(create(tenantId))).toMatchObject({ _tag: "QuotaExceeded" })
      yield* create(yield* Fixtures.tenant)
      yield* buckets.create(tenantId, Sample.bucket())
    })
  )
}
