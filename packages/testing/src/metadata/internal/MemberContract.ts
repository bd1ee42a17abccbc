/**
 * The contract of `MemberRepository`.
 */
import { expect } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import type { Member } from "@holdfast/core/members/Member"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import type { RoleId } from "@holdfast/core/Role"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
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

  const invited = (email = `${Sample.word()}@example.com`, role: RoleId = "role_admin"): Member => ({
    ...Sample.member(role, Sample.account(email)),
    status: "INVITED"
  })

  it.effect("add INVITED: known and unknown e-mail → the member as given; the account is in no tenant", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const accounts = yield* AccountRepository
      const known = yield* accounts.findOrCreate(Sample.account(`Known.${Sample.word()}@Example.com`))
      for (const email of [known.email.toUpperCase(), `${Sample.word()}@example.com`]) {
        const tenantId = yield* Fixtures.tenant
        const made = invited(email)
        expect(yield* members.add(tenantId, made)).toEqual(made)
        expect(yield* members.find(tenantId, made.id)).toEqual(Option.some(made))
        expect(yield* members.list({ tenantId, limit: 10 })).toEqual([made])
        const tenants = yield* (yield* TenantRepository).list({ accountId: known.id, limit: 10 })
        expect(tenants).toEqual([])
        const access = yield* AccessRepository
        const principal = yield* access.findByAccount({ accountId: known.id, tenantId })
        expect(Option.getOrThrow(principal).member).toBeNull()
      }
      expect(yield* accounts.findByEmail(known.email)).toEqual(Option.some(known))
    })
  )

  it.effect("add: e-mail of an INVITED or ACTIVE member → MemberExists in both states", () =>
    Effect.gen(function* () {
      const tenantId = yield* Fixtures.tenant
      const first = yield* Fixtures.member(tenantId, invited())
      const second = yield* Fixtures.member(tenantId)
      for (const existing of [first, second]) {
        const email = existing.user.email.toUpperCase()
        for (const again of [invited(email), Sample.member("role_file_reader", Sample.account(email))]) {
          const error = yield* Effect.flip(Fixtures.member(tenantId, again))
          expect(error).toMatchObject({ _tag: "MemberExists", existingId: existing.id })
        }
      }
    })
  )

  it.effect(
    "accept: invited account → ACTIVE with the account and its spelling; again, or another account → none",
    () =>
      Effect.gen(function* () {
        const members = yield* MemberRepository
        const tokens = yield* TokenRepository
        const tenantId = yield* Fixtures.tenant
        const account = yield* (yield* AccountRepository).findOrCreate(
          Sample.account(`Ada.${Sample.word()}@Example.com`)
        )
        const made = yield* Fixtures.member(tenantId, invited(account.email.toLowerCase()))
        const [hash, token] = [Sample.hash(), Sample.token(made.id)]
        yield* tokens.create({ tenantId, token, hash })
        const access = yield* AccessRepository
        const before = Option.getOrThrow(yield* access.findByKey({ hash, tenantId }))
        expect(before).toMatchObject({ account: made.user, member: { id: made.id } })

        const stranger = Sample.account()
        expect(yield* members.accept({ tenantId, account: stranger, at: Sample.at(3) })).toEqual(Option.none())
        expect(yield* members.findOwn({ tenantId, account: stranger })).toEqual(Option.none())
        expect(yield* members.findOwn({ tenantId, account })).toEqual(Option.some(made.id))
        const active = { ...made, user: account, status: "ACTIVE", updatedAt: Sample.at(3) }
        expect(yield* members.accept({ tenantId, account, at: Sample.at(3) })).toEqual(Option.some(active))
        expect(yield* members.accept({ tenantId, account, at: Sample.at(4) })).toEqual(Option.none())
        expect(yield* members.find(tenantId, made.id)).toEqual(Option.some(active))
        expect(yield* members.findOwn({ tenantId, account })).toEqual(Option.some(made.id))
        for (const found of [
          yield* access.findByKey({ hash, tenantId }),
          yield* access.findByAccount({ accountId: account.id, tenantId })
        ]) {
          expect(Option.getOrThrow(found)).toMatchObject({ account, member: { id: made.id, role: "role_admin" } })
        }
      })
  )

  it.effect("accept and tokens.create at the same time → all tokens belong to the account", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tokens = yield* TokenRepository
      const tenantId = yield* Fixtures.tenant
      const account = yield* (yield* AccountRepository).findOrCreate(Sample.account())
      const made = yield* Fixtures.member(tenantId, invited(account.email))
      const hashes = Array.from({ length: 20 }, Sample.hash)
      const results = yield* Fixtures.concurrently(21, (index) =>
        Effect.gen(function* () {
          if (index === 10) return yield* Effect.asVoid(members.accept({ tenantId, account, at: Sample.at() }))
          const hash = hashes[index < 10 ? index : index - 1] ?? ""
          return yield* tokens.create({ tenantId, token: Sample.token(made.id), hash })
        })
      )
      expect(results.filter(Result.isFailure)).toEqual([])
      for (const hash of hashes) {
        const found = yield* (yield* AccessRepository).findByKey({ hash, tenantId })
        expect(Option.getOrThrow(found)).toMatchObject({ account, member: { id: made.id } })
      }
    })
  )

  it.effect(
    "listInvitations: invitations of several tenants → ordered by tenant, without accepted and other ones",
    () =>
      Effect.gen(function* () {
        const members = yield* MemberRepository
        const account = yield* (yield* AccountRepository).findOrCreate(Sample.account())
        const email = account.email.toUpperCase()
        const tenantIds = [yield* Fixtures.tenant, yield* Fixtures.tenant, yield* Fixtures.tenant]
        for (const tenantId of tenantIds) {
          yield* Fixtures.member(tenantId, invited(account.email))
          yield* Fixtures.member(tenantId, invited())
        }
        yield* members.accept({ tenantId: tenantIds[1] ?? "", account, at: Sample.at() })
        const listed = yield* members.listInvitations({ email, limit: 10 })
        expect(listed).toEqual(
          [tenantIds[0], tenantIds[2]].map((id) => ({
            tenant: { id, name: "A tenant" },
            role: { id: "role_admin", name: "Admin" },
            createdAt: Sample.at()
          }))
        )
        expect(yield* members.listInvitations({ email, after: tenantIds[0], limit: 1 })).toEqual([listed[1]])
      })
  )

  it.effect(
    "remove: INVITED member → removed, and may be invited again; its Admin role keeps no Admin from being the last",
    () =>
      Effect.gen(function* () {
        const members = yield* MemberRepository
        const tenantId = yield* Fixtures.tenant
        const admin = yield* Fixtures.member(tenantId)
        const made = yield* Fixtures.member(tenantId, invited())
        expect((yield* Effect.flip(members.remove(Fixtures.removal(tenantId, admin.id))))._tag).toBe("LastAdmin")
        expect(yield* members.remove(Fixtures.removal(tenantId, made.id))).toBe(true)
        yield* Fixtures.member(tenantId, invited(made.user.email))
      })
  )
}
