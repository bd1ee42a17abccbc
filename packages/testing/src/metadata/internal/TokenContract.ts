/**
 * The contract of `TokenRepository`.
 */
import { expect } from "@effect/vitest"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { EventRepository } from "@holdfast/core/events/EventRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

export const tokenContract = (it: It): void => {
  it.effect("find: stored token → equal record; another tenant or unknown id → none", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const member = yield* Fixtures.member(tenantId)
      const eternal = { ...Sample.token(member.id), expiresAt: null }
      yield* tokens.create({ tenantId, token: eternal, hash: Sample.hash() })
      expect(yield* tokens.find(tenantId, eternal.id)).toEqual(Option.some(eternal))
      expect(yield* tokens.find(yield* Fixtures.tenant, eternal.id)).toEqual(Option.none())
      expect(yield* tokens.find(tenantId, Sample.id("tok"))).toEqual(Option.none())
    })
  )

  it.effect("find and list: token with a scope → equal record, and an event with the scope", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const member = yield* Fixtures.member(tenantId)
      const scope = { bucketIds: [Sample.id("bkt")], pathPrefix: "/Grüße/", permissions: ["file:read"] as const }
      const token = { ...Sample.token(member.id), scope }
      yield* tokens.create({ tenantId, token, hash: Sample.hash() })
      expect(yield* tokens.find(tenantId, token.id)).toEqual(Option.some(token))
      expect(yield* tokens.list({ tenantId, limit: 10 })).toEqual([token])
      const { events } = yield* (yield* EventRepository).list({
        tenantId,
        filter: { action: "token.created" },
        order: "NEWEST_FIRST",
        limit: 1
      })
      expect(events[0]?.detail).toMatchObject({ scope })
    })
  )

  it.effect("S3 secret: stored, replaced, removed → found with the hash of the key of its token", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const scope = { permissions: ["file:read"] as const }
      const token = { ...Sample.token((yield* Fixtures.member(tenantId)).id), scope }
      const ref = { tenantId, tokenId: token.id }
      const hash = Sample.hash()
      yield* tokens.create({ tenantId, token, hash })
      expect(yield* tokens.findS3Secret(token.id)).toEqual(Option.none())
      expect(yield* tokens.removeS3Secret(ref)).toBe(false)
      for (const sealed of ["first", "second"]) {
        expect(yield* tokens.putS3Secret({ ...ref, sealed, at: token.createdAt })).toBe(true)
        expect(yield* tokens.findS3Secret(token.id)).toEqual(Option.some({ tenantId, hash, sealed }))
      }
      expect(yield* tokens.findS3SecretTime(tenantId, token.id)).toEqual(Option.some(token.createdAt))
      const other = { tenantId: yield* Fixtures.tenant, tokenId: token.id }
      expect(yield* tokens.findS3SecretTime(other.tenantId, token.id)).toEqual(Option.none())
      expect(yield* tokens.putS3Secret({ ...other, sealed: "third", at: token.createdAt })).toBe(false)
      expect(yield* tokens.removeS3Secret(other)).toBe(false)
      expect(yield* tokens.removeS3Secret(ref)).toBe(true)
      expect(yield* tokens.findS3Secret(token.id)).toEqual(Option.none())
      yield* tokens.revoke({ ...ref, at: token.createdAt })
      expect(yield* tokens.putS3Secret({ ...ref, sealed: "fourth", at: token.createdAt })).toBe(false)
    })
  )

  it.effect("create: unknown member or member of another tenant → NotFound, nothing stored", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const stranger = yield* Fixtures.member(yield* Fixtures.tenant)
      for (const memberId of [Sample.id("mem"), stranger.id]) {
        const error = yield* Effect.flip(
          tokens.create({ tenantId, token: Sample.token(memberId), hash: Sample.hash() })
        )
        expect(error).toMatchObject({ _tag: "NotFound", resource: "member" })
      }
      expect(yield* tokens.list({ tenantId, limit: 10 })).toEqual([])
    })
  )

  it.effect("create: member removed at the same time → no token stays", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const members = yield* MemberRepository
      const tenantId = yield* Fixtures.tenant
      yield* Fixtures.member(tenantId)
      const member = yield* Fixtures.member(tenantId)
      yield* Fixtures.concurrently(20, (index) =>
        index === 10
          ? Effect.ignore(members.remove(Fixtures.removal(tenantId, member.id)))
          : Effect.ignore(tokens.create({ tenantId, token: Sample.token(member.id), hash: Sample.hash() }))
      )
      expect(yield* tokens.list({ tenantId, limit: 100 })).toEqual([])
    })
  )

  it.effect("list: tokens, revoked ones and account keys → all tokens, ordered by id", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const member = yield* Fixtures.member(tenantId)
      yield* (yield* AccountRepository).putKey(member.user.id, Sample.accountKey())
      const made = [Sample.token(member.id, "a"), Sample.token(member.id, "b"), Sample.token(member.id, "c")]
      yield* Effect.forEach(made, (token) => tokens.create({ tenantId, token, hash: Sample.hash() }))
      yield* tokens.revoke({ tenantId, tokenId: made[1]?.id ?? "", at: Sample.at(3) })
      const [first, second, third] = made
      expect(yield* tokens.list({ tenantId, limit: 10 })).toEqual([
        first,
        { ...second, revokedAt: Sample.at(3) },
        third
      ])
      expect(yield* tokens.list({ tenantId, after: second?.id, limit: 10 })).toEqual([third])
      expect(yield* tokens.list({ tenantId, limit: 1 })).toEqual([first])
    })
  )

  it.effect("revoke: twice → first time stays; another tenant or unknown id → false", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const token = Sample.token((yield* Fixtures.member(tenantId)).id)
      yield* tokens.create({ tenantId, token, hash: Sample.hash() })
      expect(yield* tokens.revoke({ tenantId: yield* Fixtures.tenant, tokenId: token.id, at: Sample.at(1) })).toBe(
        false
      )
      expect(yield* tokens.find(tenantId, token.id)).toEqual(Option.some(token))
      expect(yield* tokens.revoke({ tenantId, tokenId: token.id, at: Sample.at(2) })).toBe(true)
      expect(yield* tokens.revoke({ tenantId, tokenId: token.id, at: Sample.at(9) })).toBe(true)
      expect(yield* tokens.find(tenantId, token.id)).toEqual(Option.some({ ...token, revokedAt: Sample.at(2) }))
      expect(yield* tokens.revoke({ tenantId, tokenId: Sample.id("tok"), at: Sample.at() })).toBe(false)
    })
  )
}
