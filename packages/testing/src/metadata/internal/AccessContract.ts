/**
 * The contract of `AccessRepository`.
 */
import { expect } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

/** An account that is Admin of one tenant and reader of another, with a token in the first tenant and an account key. */
const setUp = Effect.gen(function* () {
  const user = yield* (yield* AccountRepository).findOrCreate(Sample.account())
  const [home, away, foreign] = [yield* Fixtures.tenant, yield* Fixtures.tenant, yield* Fixtures.tenant]
  yield* Fixtures.member(home)
  const admin = yield* Fixtures.member(home, Sample.member("role_admin", user))
  const reader = yield* Fixtures.member(away, Sample.member("role_file_reader", user))
  const token = { ...Sample.token(admin.id), hash: Sample.hash() }
  yield* (yield* TokenRepository).create({ tenantId: home, token, hash: token.hash })
  const key = Sample.accountKey()
  yield* (yield* AccountRepository).putKey(user.id, key)
  return { user, home, away, foreign, admin, reader, token, key }
})

export const accessContract = (it: It): void => {
  it.effect("findByKey: account key → membership of its account in each tenant, null elsewhere", () =>
    Effect.gen(function* () {
      const { admin, away, foreign, home, key, reader, user } = yield* setUp
      const access = yield* AccessRepository
      const principal = {
        account: user,
        credential: { id: key.id, tenantId: null, expiresAt: null, revokedAt: null, scope: null, allowedOrigins: null },
        member: null
      }
      expect(yield* access.findByKey({ hash: key.hash, tenantId: undefined })).toEqual(Option.some(principal))
      expect(yield* access.findByKey({ hash: key.hash, tenantId: foreign })).toEqual(Option.some(principal))
      expect(yield* access.findByKey({ hash: key.hash, tenantId: home })).toEqual(
        Option.some({ ...principal, member: { id: admin.id, role: "role_admin" } })
      )
      expect(yield* access.findByKey({ hash: key.hash, tenantId: away })).toEqual(
        Option.some({ ...principal, member: { id: reader.id, role: "role_file_reader" } })
      )
      expect(yield* access.findByKey({ hash: Sample.hash(), tenantId: home })).toEqual(Option.none())
    })
  )

  it.effect(
    "findByKey: token → membership in the token's tenant only, also when its account is a member of others",
    () =>
      Effect.gen(function* () {
        const { admin, away, foreign, home, token, user } = yield* setUp
        const access = yield* AccessRepository
        const principal = {
          account: user,
          credential: {
            id: token.id,
            tenantId: home,
            expiresAt: token.expiresAt,
            revokedAt: null,
            scope: null,
            allowedOrigins: null
          },
          member: null
        }
        expect(yield* access.findByKey({ hash: token.hash, tenantId: home })).toEqual(
          Option.some({ ...principal, member: { id: admin.id, role: "role_admin" } })
        )
        for (const tenantId of [away, foreign, undefined]) {
          expect(yield* access.findByKey({ hash: token.hash, tenantId })).toEqual(Option.some(principal))
        }
      })
  )

  it.effect("findByCredential: id of a token or an account key → as by its hash; unknown id → none", () =>
    Effect.gen(function* () {
      const { away, home, key, token } = yield* setUp
      const access = yield* AccessRepository
      for (const { hash, id } of [token, key]) {
        for (const tenantId of [home, away]) {
          const byKey = yield* access.findByKey({ hash, tenantId })
          expect(Option.isSome(byKey)).toBe(true)
          expect(yield* access.findByCredential({ credentialId: id, tenantId })).toEqual(byKey)
        }
      }
      expect(yield* access.findByCredential({ credentialId: Sample.id("tok"), tenantId: home })).toEqual(Option.none())
    })
  )

  it.effect("findByKey: token with a scope → the scope", () =>
    Effect.gen(function* () {
      const { admin, home } = yield* setUp
      const tokens = yield* TokenRepository
      const hash = Sample.hash()
      const scope = { bucketIds: [Sample.id("bkt")] }
      const limited = { ...Sample.token(admin.id), scope }
      yield* tokens.create({ tenantId: home, token: limited, hash })
      const found = yield* (yield* AccessRepository).findByKey({ hash, tenantId: home })
      expect(Option.map(found, ({ credential }) => [credential?.id, credential?.scope])).toEqual(
        Option.some([limited.id, scope])
      )
    })
  )

  it.effect("isPublic: public bucket of the tenant → true; private, of another tenant or removed → false", () =>
    Effect.gen(function* () {
      const access = yield* AccessRepository
      const buckets = yield* BucketRepository
      const [tenantId, foreign] = [yield* Fixtures.tenant, yield* Fixtures.tenant]
      const bucket = { ...Sample.bucket(), visibility: "public" as const }
      yield* buckets.create(tenantId, bucket)
      const ref = { tenantId, bucketId: bucket.id }
      expect(yield* access.isPublic(ref)).toBe(true)
      expect(yield* buckets.find(ref)).toEqual(Option.some(bucket))
      expect(yield* access.isPublic({ ...ref, tenantId: foreign })).toBe(false)
      expect(yield* access.isPublic({ ...ref, bucketId: Sample.id("bkt") })).toBe(false)
      const change = (visibility: "public" | "private") =>
        buckets.update({ bucket: ref, change: { visibility }, at: Sample.at(1) })
      expect(Option.getOrThrow(yield* change("private")).visibility).toBe("private")
      expect(yield* access.isPublic(ref)).toBe(false)
      expect(Option.getOrThrow(yield* change("public")).visibility).toBe("public")
      expect(yield* access.isPublic(ref)).toBe(true)
      yield* buckets.remove({ bucket: ref, force: true, sweepAt: Sample.at(2) })
      expect(yield* access.isPublic(ref)).toBe(false)
    })
  )

  it.effect("findByAccount: account → its membership in the tenant, null elsewhere; unknown account → none", () =>
    Effect.gen(function* () {
      const { away, foreign, reader, user } = yield* setUp
      const access = yield* AccessRepository
      const principal = { account: user, credential: null, member: null }
      expect(yield* access.findByAccount({ accountId: user.id, tenantId: away })).toEqual(
        Option.some({ ...principal, member: { id: reader.id, role: "role_file_reader" } })
      )
      expect(yield* access.findByAccount({ accountId: user.id, tenantId: foreign })).toEqual(Option.some(principal))
      expect(yield* access.findByAccount({ accountId: user.id, tenantId: undefined })).toEqual(Option.some(principal))
      expect(yield* access.findByAccount({ accountId: Sample.id("acc"), tenantId: away })).toEqual(Option.none())
    })
  )

  it.effect("findByKey: role changed, key revoked or member removed → next look-up returns the change", () =>
    Effect.gen(function* () {
      const { admin, home, key, token } = yield* setUp
      const access = yield* AccessRepository
      const members = yield* MemberRepository
      yield* members.changeRole({
        tenantId: home,
        memberId: admin.id,
        role: "role_bucket_writer",
        created: { _tag: "Refuse" },
        at: Sample.at()
      })
      for (const hash of [token.hash, key.hash]) {
        const principal = yield* access.findByKey({ hash, tenantId: home })
        expect(Option.map(principal, ({ member }) => member?.role)).toEqual(Option.some("role_bucket_writer"))
      }
      yield* (yield* TokenRepository).revoke({ tenantId: home, tokenId: token.id, at: Sample.at(4) })
      yield* (yield* AccountRepository).revokeKey(key.id, Sample.at(5))
      const revokedAt = (hash: string) =>
        Effect.map(
          access.findByKey({ hash, tenantId: home }),
          Option.map(({ credential }) => credential?.revokedAt)
        )
      expect(yield* revokedAt(token.hash)).toEqual(Option.some(Sample.at(4)))
      expect(yield* revokedAt(key.hash)).toEqual(Option.some(Sample.at(5)))
      yield* members.remove(Fixtures.removal(home, admin.id))
      expect(yield* access.findByKey({ hash: token.hash, tenantId: home })).toEqual(Option.none())
      expect(Option.map(yield* access.findByKey({ hash: key.hash, tenantId: home }), ({ member }) => member)).toEqual(
        Option.some(null)
      )
    })
  )

  it.effect("recordUse: earlier time or unknown key → last use unchanged", () =>
    Effect.gen(function* () {
      const { home, key, token } = yield* setUp
      const access = yield* AccessRepository
      const lastUses = Effect.gen(function* () {
        const found = yield* (yield* TokenRepository).find(home, token.id)
        const [listed] = yield* (yield* AccountRepository).listKeys({ after: key.id.slice(0, -1), limit: 1 })
        return [Option.map(found, ({ lastUsedAt }) => lastUsedAt), listed?.lastUsedAt]
      })
      const use = (credentialId: string, offset: number) => ({ credentialId, at: Sample.at(offset) })
      yield* access.recordUse([])
      yield* access.recordUse([use(token.id, 50), use(key.id, 7), use(token.id, 20), use(Sample.id("key"), 99)])
      expect(yield* lastUses).toEqual([Option.some(Sample.at(50)), Sample.at(7)])
      yield* access.recordUse([use(token.id, 40), use(key.id, 70)])
      expect(yield* lastUses).toEqual([Option.some(Sample.at(50)), Sample.at(70)])
    })
  )

  it.effect("recordUse: many concurrent batches → the latest time stays", () =>
    Effect.gen(function* () {
      const { home, key, token } = yield* setUp
      const access = yield* AccessRepository
      const results = yield* Fixtures.concurrently(20, (index) => {
        const uses = [token.id, key.id].map((credentialId) => ({ credentialId, at: Sample.at((index * 7) % 20) }))
        return access.recordUse(index % 2 === 0 ? uses : uses.toReversed())
      })
      expect(results.filter((result) => result._tag === "Failure")).toEqual([])
      const found = yield* (yield* TokenRepository).find(home, token.id)
      expect(Option.map(found, ({ lastUsedAt }) => lastUsedAt)).toEqual(Option.some(Sample.at(19)))
    })
  )
}
