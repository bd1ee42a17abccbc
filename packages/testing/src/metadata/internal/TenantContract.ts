/**
 * The contract of `TenantRepository`.
 */
import { expect } from "@effect/vitest"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const sweepAt = Sample.at(90_000)

/** Creates a tenant with a stored account as its first member. */
const createWithMember = Effect.gen(function* () {
  const user = yield* (yield* AccountRepository).findOrCreate(Sample.account())
  const tenant = Sample.tenant()
  const member = Sample.member("role_admin", user)
  yield* (yield* TenantRepository).create({ tenant, member })
  return { tenant, member, user }
})

export const tenantContract = (it: It): void => {
  it.effect("find: stored tenant → equal record; unknown id → none", () =>
    Effect.gen(function* () {
      const { tenant } = yield* createWithMember
      const tenants = yield* TenantRepository
      expect(yield* tenants.find(tenant.id)).toEqual(Option.some(tenant))
      expect(yield* tenants.find(Sample.id("ten"))).toEqual(Option.none())
    })
  )

  it.effect("create: with a member → member stored", () =>
    Effect.gen(function* () {
      const { member, tenant } = yield* createWithMember
      expect(yield* (yield* MemberRepository).find(tenant.id, member.id)).toEqual(Option.some(member))
    })
  )

  it.effect("create: subdomain exists → SubdomainTaken, neither tenant nor member stored", () =>
    Effect.gen(function* () {
      const { tenant, user } = yield* createWithMember
      const tenants = yield* TenantRepository
      const second = { ...Sample.tenant(), subdomain: tenant.subdomain }
      const error = yield* Effect.flip(tenants.create({ tenant: second, member: Sample.member("role_admin", user) }))
      expect(error).toMatchObject({ _tag: "SubdomainTaken", subdomain: tenant.subdomain })
      expect(yield* tenants.find(second.id)).toEqual(Option.none())
      expect(yield* (yield* MemberRepository).list({ tenantId: second.id, limit: 10 })).toEqual([])
    })
  )

  it.effect("create: 20 at the same time with one subdomain → one succeeds", () =>
    Effect.gen(function* () {
      const tenants = yield* TenantRepository
      const subdomain = `t-${Sample.word()}`
      const results = yield* Fixtures.concurrently(20, () =>
        tenants.create({ tenant: { ...Sample.tenant(), subdomain } })
      )
      expect(results.filter(Result.isSuccess)).toHaveLength(1)
      for (const result of results.filter(Result.isFailure)) expect(result.failure._tag).toBe("SubdomainTaken")
    })
  )

  it.effect("list: with an account → its tenants; without → all; both ordered by id", () =>
    Effect.gen(function* () {
      const tenants = yield* TenantRepository
      const first = yield* createWithMember
      const foreign = yield* createWithMember
      const second = Sample.tenant()
      yield* tenants.create({ tenant: second, member: Sample.member("role_file_reader", first.user) })
      expect(yield* tenants.list({ accountId: first.user.id, limit: 10 })).toEqual([first.tenant, second])
      expect(yield* tenants.list({ accountId: first.user.id, limit: 1 })).toEqual([first.tenant])
      expect(yield* tenants.list({ accountId: first.user.id, after: first.tenant.id, limit: 10 })).toEqual([second])
      const all = yield* tenants.list({ after: first.tenant.id, limit: 1000 })
      expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining([foreign.tenant.id, second.id]))
      expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted())
    })
  )

  it.effect("update: one field → that field and updatedAt changed; subdomain exists → SubdomainTaken", () =>
    Effect.gen(function* () {
      const tenants = yield* TenantRepository
      const { tenant } = yield* createWithMember
      const other = yield* createWithMember
      const renamed = { ...tenant, name: "Renamed", updatedAt: Sample.at(5) }
      expect(yield* tenants.update({ tenantId: tenant.id, change: { name: "Renamed" }, at: Sample.at(5) })).toEqual(
        Option.some(renamed)
      )
      const moved = { ...renamed, subdomain: `t-${Sample.word()}`, updatedAt: Sample.at(6) }
      expect(
        yield* tenants.update({ tenantId: tenant.id, change: { subdomain: moved.subdomain }, at: Sample.at(6) })
      ).toEqual(Option.some(moved))
      const error = yield* Effect.flip(
        tenants.update({ tenantId: tenant.id, change: { subdomain: other.tenant.subdomain }, at: Sample.at(7) })
      )
      expect(error).toMatchObject({ _tag: "SubdomainTaken", subdomain: other.tenant.subdomain })
      expect(yield* tenants.find(tenant.id)).toEqual(Option.some(moved))
      expect(yield* tenants.update({ tenantId: Sample.id("ten"), change: { name: "x" }, at: Sample.at() })).toEqual(
        Option.none()
      )
    })
  )

  it.effect("remove: tenant without buckets → removed with its members and tokens, other tenants unchanged", () =>
    Effect.gen(function* () {
      const tenants = yield* TenantRepository
      const access = yield* AccessRepository
      const { member, tenant, user } = yield* createWithMember
      const other = yield* createWithMember
      const hash = Sample.hash()
      yield* (yield* TokenRepository).create({ tenantId: tenant.id, token: Sample.token(member.id), hash })
      expect(yield* tenants.remove({ tenantId: tenant.id, force: false, sweepAt })).toBe(true)
      expect(yield* tenants.find(tenant.id)).toEqual(Option.none())
      expect(yield* access.findByKey({ hash, tenantId: tenant.id })).toEqual(Option.none())
      expect(yield* tenants.list({ accountId: user.id, limit: 10 })).toEqual([])
      expect(yield* tenants.remove({ tenantId: tenant.id, force: true, sweepAt })).toBe(false)
      expect(yield* (yield* MemberRepository).list({ tenantId: other.tenant.id, limit: 10 })).toHaveLength(1)
    })
  )

  it.effect(
    "remove: tenant with buckets → TenantNotEmpty; with force → files removed, blobs DOOMED, later uploads fail",
    () =>
      Effect.gen(function* () {
        const tenants = yield* TenantRepository
        const { tenant } = yield* createWithMember
        const bucket = yield* Fixtures.bucket(tenant.id)
        const stored = yield* Fixtures.store(bucket)
        const error = yield* Effect.flip(tenants.remove({ tenantId: tenant.id, force: false, sweepAt }))
        expect(error._tag).toBe("TenantNotEmpty")
        expect(Option.isSome(yield* (yield* FileRepository).find(bucket, Fixtures.byId(stored.id)))).toBe(true)

        const foreign = yield* Fixtures.store(yield* Fixtures.bucket())
        const upload = yield* Fixtures.stage(bucket)
        expect(yield* tenants.remove({ tenantId: tenant.id, force: true, sweepAt })).toBe(true)
        expect(yield* (yield* BucketRepository).find({ tenantId: tenant.id, bucketId: bucket.bucketId })).toEqual(
          Option.none()
        )
        expect(yield* (yield* FileRepository).find(bucket, Fixtures.byId(stored.id))).toEqual(Option.none())
        expect((yield* Fixtures.blob(stored.content.blobId))?.state).toBe("DOOMED")
        expect(yield* Fixtures.isDue(stored.content.blobId)).toBe(false)
        expect(yield* Fixtures.isDue(stored.content.blobId, sweepAt)).toBe(true)
        expect((yield* Fixtures.blob(foreign.content.blobId))?.state).toBe("READY")

        const late = Sample.file({ version: 1, content: Sample.content(upload) })
        const failure = yield* Effect.flip((yield* FileRepository).insert(bucket, late))
        expect(failure).toMatchObject({ _tag: "NotFound", resource: "bucket" })
      })
  )
}
