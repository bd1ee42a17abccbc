/**
 * What `MemberRepository` promises.
 */
import { expect } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./Metadata.ts"
import * as Sample from "./Sample.ts"
import * as World from "./World.ts"

const reader = { id: "role_file_reader", name: "File Reader" }

export const memberContract = (it: It): void => {
  it.effect("a member is stored with its account, and found in its tenant alone", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* World.tenant
      const made = Sample.member()
      expect(yield* members.add(tenantId, made)).toEqual(made)
      expect(yield* members.find(tenantId, made.id)).toEqual(Option.some(made))
      expect(yield* (yield* AccountRepository).findByEmail(made.user.email)).toEqual(Option.some(made.user))
      expect(yield* members.find(yield* World.tenant, made.id)).toEqual(Option.none())
    })
  )

  it.effect("an account that stands is taken as it stands, whatever the case of the e-mail", () =>
    Effect.gen(function* () {
      const standing = yield* (yield* AccountRepository).findOrCreate(
        Sample.account(`Ünal.${Sample.word()}@Example.com`)
      )
      const made = Sample.member("role_admin", Sample.account(standing.email.toUpperCase()))
      const stored = yield* World.member(yield* World.tenant, made)
      expect(stored).toEqual({ ...made, user: standing })
    })
  )

  it.effect("an account is a member of a tenant once", () =>
    Effect.gen(function* () {
      const tenantId = yield* World.tenant
      const first = yield* World.member(tenantId)
      const again = Sample.member("role_file_reader", Sample.account(first.user.email.toUpperCase()))
      const error = yield* Effect.flip(World.member(tenantId, again))
      expect(error).toMatchObject({ _tag: "MemberExists", existingId: first.id })
      const elsewhere = yield* World.member(yield* World.tenant, again)
      expect(elsewhere.user).toEqual(first.user)
    })
  )

  it.effect("nothing is stored in a tenant that is not there, not even the account", () =>
    Effect.gen(function* () {
      const made = Sample.member()
      const error = yield* Effect.flip(World.member(Sample.id("ten"), made))
      expect(error).toMatchObject({ _tag: "NotFound", resource: "tenant" })
      expect(yield* (yield* AccountRepository).findByEmail(made.user.email)).toEqual(Option.none())
    })
  )

  it.effect("of many that add an account at once, one does, and the account is one", () =>
    Effect.gen(function* () {
      const tenantId = yield* World.tenant
      const email = `${Sample.word()}@example.com`
      const results = yield* World.race(20, () =>
        World.member(tenantId, Sample.member("role_admin", Sample.account(email)))
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

  it.effect("members are listed by id", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* World.tenant
      yield* World.member(yield* World.tenant)
      const made = yield* Effect.forEach([1, 2, 3], () => World.member(tenantId))
      expect(yield* members.list(tenantId, undefined, 10)).toEqual(made)
      expect(yield* members.list(tenantId, made[0]?.id, 1)).toEqual([made[1]])
    })
  )

  it.effect("a role changes, in its own tenant", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* World.tenant
      yield* World.member(tenantId)
      const made = yield* World.member(tenantId)
      const changed = { ...made, role: reader, updatedAt: Sample.at(9) }
      const foreign = yield* World.tenant
      expect(yield* members.changeRole(foreign, made.id, "role_file_reader", Sample.at(9))).toEqual(Option.none())
      expect(yield* members.changeRole(tenantId, made.id, "role_file_reader", Sample.at(9))).toEqual(
        Option.some(changed)
      )
      expect(yield* members.find(tenantId, made.id)).toEqual(Option.some(changed))
    })
  )

  it.effect("the last Admin stays one", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* World.tenant
      const admin = yield* World.member(tenantId)
      yield* World.member(tenantId, Sample.member("role_file_writer"))
      yield* World.member(yield* World.tenant)
      const demotion = yield* Effect.flip(members.changeRole(tenantId, admin.id, "role_file_reader", Sample.at()))
      expect(demotion._tag).toBe("LastAdmin")
      expect((yield* Effect.flip(members.remove(tenantId, admin.id)))._tag).toBe("LastAdmin")
      expect(yield* members.find(tenantId, admin.id)).toEqual(Option.some(admin))
      expect(Option.isSome(yield* members.changeRole(tenantId, admin.id, "role_admin", Sample.at(1)))).toBe(true)
    })
  )

  it.effect("Admins who demote and remove each other at once leave one", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tenantId = yield* World.tenant
      const admins = yield* Effect.forEach(Array.from({ length: 12 }).keys(), () => World.member(tenantId))
      const results = yield* World.race(admins.length, (index) => {
        const memberId = admins[index]?.id ?? ""
        return index % 2 === 0
          ? Effect.asVoid(members.changeRole(tenantId, memberId, "role_file_reader", Sample.at()))
          : Effect.asVoid(members.remove(tenantId, memberId))
      })
      const refused = results.filter(Result.isFailure)
      expect(refused.map((result) => result.failure._tag)).toEqual(["LastAdmin"])
      const left = yield* members.list(tenantId, undefined, 100)
      expect(left.filter(({ role }) => role.id === "role_admin")).toHaveLength(1)
    })
  )

  it.effect("a removed member takes its tokens along", () =>
    Effect.gen(function* () {
      const members = yield* MemberRepository
      const tokens = yield* TokenRepository
      const tenantId = yield* World.tenant
      const admin = yield* World.member(tenantId)
      const made = yield* World.member(tenantId)
      const [hash, kept] = [Sample.hash(), Sample.token(admin.id)]
      yield* tokens.create(tenantId, Sample.token(made.id), hash)
      yield* tokens.create(tenantId, kept, Sample.hash())
      expect(yield* members.remove(yield* World.tenant, made.id)).toBe(false)
      expect(yield* members.remove(tenantId, made.id)).toBe(true)
      expect(yield* members.remove(tenantId, made.id)).toBe(false)
      expect(yield* tokens.list(tenantId, undefined, 10)).toEqual([kept])
      expect(yield* (yield* AccessRepository).byKey(hash, tenantId)).toEqual(Option.none())
    })
  )
}
