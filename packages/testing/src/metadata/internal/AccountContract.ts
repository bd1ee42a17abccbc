/**
 * The contract of `AccountRepository`.
 */
import { expect } from "@effect/vitest"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

/** The record that the repository returns for a key that was put. */
const toRecord = (account: ReturnType<typeof Sample.account>, key: ReturnType<typeof Sample.accountKey>) => ({
  id: key.id,
  name: key.name,
  account,
  prefix: key.prefix,
  createdAt: key.createdAt,
  lastUsedAt: null,
  revokedAt: null
})

export const accountContract = (it: It): void => {
  it.effect("findOrCreate: e-mail in another case → the existing account", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountRepository
      const fresh = Sample.account(`Ärger.${Sample.word()}@Example.com`)
      expect(yield* accounts.findByEmail(fresh.email)).toEqual(Option.none())
      expect(yield* accounts.findOrCreate(fresh)).toEqual(fresh)
      for (const email of [fresh.email.toUpperCase(), fresh.email.toLowerCase()]) {
        expect(yield* accounts.findOrCreate(Sample.account(email))).toEqual(fresh)
        expect(yield* accounts.findByEmail(email)).toEqual(Option.some(fresh))
      }
    })
  )

  it.effect("findOrCreate: 20 at the same time for one e-mail → one account", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountRepository
      const email = `${Sample.word()}@example.com`
      const results = yield* Fixtures.concurrently(20, () => accounts.findOrCreate(Sample.account(email)))
      const ids = results.map((result) => (Result.isSuccess(result) ? result.success.id : result.failure))
      expect(new Set(ids).size).toBe(1)
      expect(Option.map(yield* accounts.findByEmail(email), ({ id }) => id)).toEqual(Option.some(ids[0]))
    })
  )

  it.effect("putKey: existing hash → existing key unchanged, revocation cleared", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountRepository
      const account = yield* accounts.findOrCreate(Sample.account())
      const key = Sample.accountKey()
      expect(yield* accounts.putKey(account.id, key)).toEqual(toRecord(account, key))
      yield* accounts.revokeKey(key.id, Sample.at(1))
      const again = { ...Sample.accountKey(), hash: key.hash, name: "another name", createdAt: Sample.at(5) }
      expect(yield* accounts.putKey(account.id, again)).toEqual(toRecord(account, key))
      expect(yield* accounts.listKeys({ after: key.id.slice(0, -1), limit: 1 })).toEqual([toRecord(account, key)])
    })
  )

  it.effect("listKeys: account keys and tokens → account keys only, ordered by id", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountRepository
      const tenantId = yield* Fixtures.tenant
      const { id, user } = yield* Fixtures.member(tenantId)
      const keys = [Sample.accountKey(), Sample.accountKey(), Sample.accountKey()]
      yield* Effect.forEach(keys, (key) => accounts.putKey(user.id, key))
      yield* (yield* TokenRepository).create({ tenantId, token: Sample.token(id), hash: Sample.hash() })
      const before = keys[0]?.id.slice(0, -1)
      expect(yield* accounts.listKeys({ after: before, limit: 100 })).toEqual(keys.map((key) => toRecord(user, key)))
      expect((yield* accounts.listKeys({ after: keys[0]?.id, limit: 1 })).map((key) => key.id)).toEqual([keys[1]?.id])
    })
  )

  it.effect("revokeKey: twice → first time stays; unknown id or token → none", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountRepository
      const tenantId = yield* Fixtures.tenant
      const { id, user } = yield* Fixtures.member(tenantId)
      const key = Sample.accountKey()
      yield* accounts.putKey(user.id, key)
      const revoked = { ...toRecord(user, key), revokedAt: Sample.at(1) }
      expect(yield* accounts.revokeKey(key.id, Sample.at(1))).toEqual(Option.some(revoked))
      expect(yield* accounts.revokeKey(key.id, Sample.at(2))).toEqual(Option.some(revoked))
      expect(yield* accounts.revokeKey(Sample.id("key"), Sample.at())).toEqual(Option.none())
      const tokens = yield* TokenRepository
      const token = Sample.token(id)
      yield* tokens.create({ tenantId, token, hash: Sample.hash() })
      expect(yield* accounts.revokeKey(token.id, Sample.at())).toEqual(Option.none())
      expect(yield* tokens.find(tenantId, token.id)).toEqual(Option.some(token))
    })
  )

  it.effect("putKey: hash of a token → fails with Internal, token unchanged", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountRepository
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const { id, user } = yield* Fixtures.member(tenantId)
      const [token, hash] = [Sample.token(id), Sample.hash()]
      yield* tokens.create({ tenantId, token, hash })
      yield* tokens.revoke({ tenantId, tokenId: token.id, at: Sample.at(1) })
      const error = yield* Effect.flip(accounts.putKey(user.id, { ...Sample.accountKey(), hash }))
      expect(error).toMatchObject({ _tag: "MetadataError", reason: "Internal" })
      expect(yield* tokens.find(tenantId, token.id)).toEqual(Option.some({ ...token, revokedAt: Sample.at(1) }))
    })
  )
}
