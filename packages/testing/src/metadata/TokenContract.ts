/**
 * What `TokenRepository` promises.
 */
import { expect } from "@effect/vitest"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { It } from "./Metadata.ts"
import * as Sample from "./Sample.ts"
import * as World from "./World.ts"

export const tokenContract = (it: It): void => {
  it.effect("a token is found as it was stored, in its tenant alone", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* World.tenant
      const member = yield* World.member(tenantId)
      const eternal = { ...Sample.token(member.id), expiresAt: null }
      yield* tokens.create(tenantId, eternal, Sample.hash())
      expect(yield* tokens.find(tenantId, eternal.id)).toEqual(Option.some(eternal))
      expect(yield* tokens.find(yield* World.tenant, eternal.id)).toEqual(Option.none())
      expect(yield* tokens.find(tenantId, Sample.id("tok"))).toEqual(Option.none())
    })
  )

  it.effect("a token needs a member of its own tenant", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* World.tenant
      const stranger = yield* World.member(yield* World.tenant)
      for (const memberId of [Sample.id("mem"), stranger.id]) {
        const error = yield* Effect.flip(tokens.create(tenantId, Sample.token(memberId), Sample.hash()))
        expect(error).toMatchObject({ _tag: "NotFound", resource: "member" })
      }
      expect(yield* tokens.list(tenantId, undefined, 10)).toEqual([])
    })
  )

  it.effect("a token is not made for a member that is removed meanwhile", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const members = yield* MemberRepository
      const tenantId = yield* World.tenant
      yield* World.member(tenantId)
      const member = yield* World.member(tenantId)
      yield* World.race(20, (index) =>
        index === 10
          ? Effect.asVoid(members.remove(tenantId, member.id))
          : Effect.catchTag(
              tokens.create(tenantId, Sample.token(member.id), Sample.hash()),
              "NotFound",
              () => Effect.void
            )
      )
      expect(yield* tokens.list(tenantId, undefined, 100)).toEqual([])
    })
  )

  it.effect("tokens are listed by id, revoked ones included, account keys never", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* World.tenant
      const member = yield* World.member(tenantId)
      yield* (yield* AccountRepository).putKey(member.user.id, Sample.accountKey())
      const made = [Sample.token(member.id, "a"), Sample.token(member.id, "b"), Sample.token(member.id, "c")]
      yield* Effect.forEach(made, (token) => tokens.create(tenantId, token, Sample.hash()))
      yield* tokens.revoke(tenantId, made[1]?.id ?? "", Sample.at(3))
      const [first, second, third] = made
      expect(yield* tokens.list(tenantId, undefined, 10)).toEqual([
        first,
        { ...second, revokedAt: Sample.at(3) },
        third
      ])
      expect(yield* tokens.list(tenantId, second?.id, 10)).toEqual([third])
      expect(yield* tokens.list(tenantId, undefined, 1)).toEqual([first])
    })
  )

  it.effect("a revocation is for good, and its first time stays", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const tenantId = yield* World.tenant
      const token = Sample.token((yield* World.member(tenantId)).id)
      yield* tokens.create(tenantId, token, Sample.hash())
      expect(yield* tokens.revoke(yield* World.tenant, token.id, Sample.at(1))).toBe(false)
      expect(yield* tokens.find(tenantId, token.id)).toEqual(Option.some(token))
      expect(yield* tokens.revoke(tenantId, token.id, Sample.at(2))).toBe(true)
      expect(yield* tokens.revoke(tenantId, token.id, Sample.at(9))).toBe(true)
      expect(yield* tokens.find(tenantId, token.id)).toEqual(Option.some({ ...token, revokedAt: Sample.at(2) }))
      expect(yield* tokens.revoke(tenantId, Sample.id("tok"), Sample.at())).toBe(false)
    })
  )
}
