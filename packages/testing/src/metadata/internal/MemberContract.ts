/**
 * The contract of `MemberRepository`.
 */
import { expect } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const refuse = { _tag: "Refuse" } as const
const reader = { id: "role_file_reader", name: "File Reader" }

export const memberContract = (it: It): void => {
  it.effect("add: new e-mail → member and account stored; find in another tenant → none", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* Fixtures.tenant
      const made = Sample.member()
      expect(yield* members.add(tenantId, made)).toEqual(made)
      expect(yield* members.find(tenantId, made.id)).toEqual(Option.some(made))
      expect(yield* (yield* AccountRepository).findByEmail(made.user.email)).toEqual(Option.some(made.user))
      expect(yield* members.find(yield* Fixtures.tenant, made.id)).toEqual(Option.none())
    })
  )

  it.effect("add: existing account's e-mail in another case → member of the existing account", () =>
    Effect.gen(function* () {
      const existing = yield* (yield* AccountRepository).findOrCreate(
        Sample.account(`Ünal.${Sample.word()}@Example.com`)
      )
      const made = Sample.member("role_admin", Sample.account(existing.email.toUpperCase()))
      const stored = yield* Fixtures.member(yield* Fixtures.tenant, made)
      expect(stored).toEqual({ ...made, user: existing })
    })
  )

  it.effect("add: account is a member already → MemberExists with the existing id; another tenant → added", () =>
    Effect.gen(function* () {
      const tenantId = yield* Fixtures.tenant
      const first = yield* Fixtures.member(tenantId)
      const again = Sample.member("role_file_reader", Sample.account(first.user.email.toUpperCase()))
      const error = yield* Effect.flip(Fixtures.member(tenantId, again))
      expect(error).toMatchObject({ _tag: "MemberExists", existingId: first.id })
      const elsewhere = yield* Fixtures.member(yield* Fixtures.tenant, again)
      expect(elsewhere.user).toEqual(first.user)
    })
  )

  it.effect("add: unknown tenant → NotFound, no account stored", () =>
    Effect.gen(function* () {
      const made = Sample.member()
      const error = yield* Effect.flip(Fixtures.member(Sample.id("ten"), made))
      expect(error).toMatchObject({ _tag: "NotFound", resource: "tenant" })
      expect(yield* (yield* AccountRepository).findByEmail(made.user.email)).toEqual(Option.none())
    })
  )

  it.effect("add: 20 at the same time with one e-mail → one member, one account", () =>
    Effect.gen(function* () {
      const tenantId = yield* Fixtures.tenant
      const email = `${Sample.word()}@example.com`
      const results = yield* Fixtures.concurrently(20, () =>
        Fixtures.member(tenantId, Sample.member("role_admin", Sample.account(email)))
      )
      const [winner, ...others] = results.filter(Result.isSuccess)
      expect(others).toEqual([])
      for (const result of results.filter(Result.isFailure)) {
        expect(result.failure).toMatchObject({ _tag: "MemberExists", existingId: winner?.success.id })
      }
      const account = yield* (yield* AccountRepository).findByEmail(email)
      expect(account).toEqual(Option.fromNullishOr(winner?.success.user))
    })
  )

  it.effect("list: several members → the tenant's own, ordered by id", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* Fixtures.tenant
      yield* Fixtures.member(yield* Fixtures.tenant)
      const made = yield* Effect.forEach([1, 2, 3], () => Fixtures.member(tenantId))
      expect(yield* members.list({ tenantId, limit: 10 })).toEqual(made)
      expect(yield* members.list({ tenantId, after: made[0]?.id, limit: 1 })).toEqual([made[1]])
    })
  )

  it.effect("changeRole: another role → role and updatedAt changed; another tenant → none", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* Fixtures.tenant
      yield* Fixtures.member(tenantId)
      const made = yield* Fixtures.member(tenantId)
      const changed = { ...made, role: reader, updatedAt: Sample.at(9) }
      const foreign = yield* Fixtures.tenant
      expect(
        yield* members.changeRole({
          tenantId: foreign,
          memberId: made.id,
          role: "role_file_reader",
          created: refuse,
          at: Sample.at(9)
        })
      ).toEqual(Option.none())
      expect(
        yield* members.changeRole({
          tenantId,
          memberId: made.id,
          role: "role_file_reader",
          created: refuse,
          at: Sample.at(9)
        })
      ).toEqual(Option.some(changed))
      expect(yield* members.find(tenantId, made.id)).toEqual(Option.some(changed))
    })
  )

  it.effect("changeRole and remove: only Admin → LastAdmin, unchanged", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* Fixtures.tenant
      const admin = yield* Fixtures.member(tenantId)
      yield* Fixtures.member(tenantId, Sample.member("role_file_writer"))
      yield* Fixtures.member(yield* Fixtures.tenant)
      const demotion = yield* Effect.flip(
        members.changeRole({ tenantId, memberId: admin.id, role: "role_file_reader", created: refuse, at: Sample.at() })
      )
      expect(demotion._tag).toBe("LastAdmin")
      expect((yield* Effect.flip(members.remove(Fixtures.removal(tenantId, admin.id))))._tag).toBe("LastAdmin")
      expect(yield* members.find(tenantId, admin.id)).toEqual(Option.some(admin))
      expect(
        Option.isSome(
          yield* members.changeRole({
            tenantId,
            memberId: admin.id,
            role: "role_admin",
            created: refuse,
            at: Sample.at(1)
          })
        )
      ).toBe(true)
    })
  )

  it.effect("changeRole and remove: all 12 Admins at the same time → one Admin left", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* Fixtures.tenant
      const admins = yield* Effect.forEach(Array.from({ length: 12 }).keys(), () => Fixtures.member(tenantId))
      const results = yield* Fixtures.concurrently(admins.length, (index) => {
        const memberId = admins[index]?.id ?? ""
        return index % 2 === 0
          ? Effect.asVoid(
              members.changeRole({ tenantId, memberId, role: "role_file_reader", created: refuse, at: Sample.at() })
            )
          : Effect.asVoid(members.remove(Fixtures.removal(tenantId, memberId)))
      })
      const refused = results.filter(Result.isFailure)
      expect(refused.map((result) => result.failure._tag)).toEqual(["LastAdmin"])
      const left = yield* members.list({ tenantId, limit: 100 })
      expect(left.filter(({ role }) => role.id === "role_admin")).toHaveLength(1)
    })
  )

  it.effect("remove: member with a token → token removed, other members' tokens stay", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const admin = yield* Fixtures.member(tenantId)
      const made = yield* Fixtures.member(tenantId)
      const [hash, kept] = [Sample.hash(), Sample.token(admin.id)]
      yield* tokens.create({ tenantId, token: Sample.token(made.id), hash })
      yield* tokens.create({ tenantId, token: kept, hash: Sample.hash() })
      expect(yield* members.remove(Fixtures.removal(yield* Fixtures.tenant, made.id))).toBe(false)
      expect(yield* members.remove(Fixtures.removal(tenantId, made.id))).toBe(true)
      expect(yield* members.remove(Fixtures.removal(tenantId, made.id))).toBe(false)
      expect(yield* tokens.list({ tenantId, limit: 10 })).toEqual([kept])
      expect(yield* (yield* AccessRepository).findByKey({ hash, tenantId })).toEqual(Option.none())
    })
  )
}
