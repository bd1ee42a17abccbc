/**
 * The contract of the repositories about who created a token or a mirror, and about what becomes of it.
 */
import { expect } from "@effect/vitest"
import type { CreatedBy } from "@holdfast/core/access/Creator"
import { type CreatedDecision, MemberRepository } from "@holdfast/core/members/MemberRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as Fixtures from "../Fixtures.ts"
import * as MirrorFixtures from "../mirrors/MirrorFixtures.ts"
import * as Sample from "../Sample.ts"

const by = (memberId: string, tokenId?: string): CreatedBy => ({
  member: { id: memberId },
  token: tokenId === undefined ? null : { id: tokenId }
})

/** Creates a token of a member. Returns its id. */
const makeToken = Effect.fnUntraced(function* (
  tenantId: string,
  memberId: string,
  createdBy: CreatedBy,
  fields: object = {}
) {
  const token = { ...Sample.token(memberId), createdBy, ...fields }
  yield* (yield* TokenRepository).create({ tenantId, token, hash: Sample.hash() })
  return token.id
})

const makeMirror = Effect.fnUntraced(function* (tenantId: string, createdBy: CreatedBy) {
  const bucket = yield* Fixtures.bucket(tenantId)
  const mirror = { ...MirrorFixtures.newMirror(bucket), createdBy }
  yield* (yield* MirrorRepository).create(mirror)
  return { ...bucket, mirrorId: mirror.id }
})

const tokenOf = (tenantId: string, tokenId: string) =>
  Effect.flatMap(TokenRepository, (tokens) => Effect.map(tokens.find(tenantId, tokenId), Option.getOrThrow))

const remove = (tenantId: string, memberId: string, created: CreatedDecision) =>
  Effect.flatMap(MemberRepository, (members) => members.remove({ tenantId, memberId, created, at: Sample.at(5) }))

/** A tenant with three Admins, of whom the second created a token of the third, and a mirror. */
const setUp = Effect.gen(function* () {
  const tenantId = yield* Fixtures.tenant
  const [staying, leaving, other] = [
    yield* Fixtures.member(tenantId),
    yield* Fixtures.member(tenantId),
    yield* Fixtures.member(tenantId)
  ]
  const tokenId = yield* makeToken(tenantId, other.id, by(leaving.id))
  const mirror = yield* makeMirror(tenantId, by(leaving.id))
  return { tenantId, staying: staying.id, leaving: leaving.id, other: other.id, tokenId, mirror }
})

const refuse: CreatedDecision = { _tag: "Refuse" }
const end: CreatedDecision = { _tag: "End" }

export const creatorContract = (it: It): void => {
  it.effect("remove and changeRole: creator of a token and a mirror → CreatedResourcesRemain, nothing changed", () =>
    Effect.gen(function* () {
      const { leaving, mirror, tenantId, tokenId } = yield* setUp
      const members = yield* MemberRepository
      const change = {
        tenantId,
        memberId: leaving,
        role: "role_file_reader",
        created: refuse,
        at: Sample.at()
      } as const
      for (const error of [
        yield* Effect.flip(remove(tenantId, leaving, refuse)),
        yield* Effect.flip(members.changeRole(change))
      ]) {
        expect(error).toMatchObject({
          _tag: "CreatedResourcesRemain",
          created: {
            tokens: 1,
            mirrors: 1,
            shares: 0,
            items: [
              { kind: "TOKEN", id: tokenId },
              { kind: "MIRROR", id: mirror.mirrorId }
            ],
            isComplete: true
          }
        })
      }
      expect(Option.getOrThrow(yield* members.find(tenantId, leaving)).role.id).toBe("role_admin")
      expect((yield* tokenOf(tenantId, tokenId)).createdBy).toEqual(by(leaving))
      const found = Option.getOrThrow(yield* (yield* MirrorRepository).find(mirror, Sample.at()))
      expect(found.mirror.createdBy).toEqual(by(leaving))
    })
  )

  it.effect("remove: End → token revoked, mirror removed", () =>
    Effect.gen(function* () {
      const { leaving, mirror, tenantId, tokenId } = yield* setUp
      expect(yield* remove(tenantId, leaving, end)).toBe(true)
      expect((yield* tokenOf(tenantId, tokenId)).revokedAt).toEqual(Sample.at(5))
      expect(yield* (yield* MirrorRepository).find(mirror, Sample.at())).toEqual(Option.none())
    })
  )

  it.effect("remove: Transfer → both have the new creator, who answers for them from then on", () =>
    Effect.gen(function* () {
      const { leaving, mirror, staying, tenantId, tokenId } = yield* setUp
      expect(yield* remove(tenantId, leaving, { _tag: "Transfer", to: staying })).toBe(true)
      expect(yield* tokenOf(tenantId, tokenId)).toMatchObject({ createdBy: by(staying), revokedAt: null })
      const found = Option.getOrThrow(yield* (yield* MirrorRepository).find(mirror, Sample.at()))
      expect(found.mirror.createdBy).toEqual(by(staying))
      expect(yield* Effect.flip(remove(tenantId, staying, refuse))).toMatchObject({
        created: { tokens: 1, mirrors: 1 }
      })
    })
  )

  it.effect(
    "remove: Transfer to a member that is none, or to no Admin → Forbidden; to the deployment → no creator",
    () =>
      Effect.gen(function* () {
        const { leaving, tenantId, tokenId } = yield* setUp
        const reader = yield* Fixtures.member(tenantId, Sample.member("role_file_reader"))
        for (const to of [Sample.id("mem"), reader.id]) {
          const error = yield* Effect.flip(remove(tenantId, leaving, { _tag: "Transfer", to }))
          expect(error._tag).toBe("Forbidden")
        }
        expect(yield* remove(tenantId, leaving, { _tag: "Transfer", to: null })).toBe(true)
        expect(yield* tokenOf(tenantId, tokenId)).toMatchObject({ createdBy: null, revokedAt: null })
      })
  )

  it.effect("changeRole: demoted with End → both ended, the member and its own token stay", () =>
    Effect.gen(function* () {
      const { leaving, mirror, tenantId, tokenId } = yield* setUp
      const own = yield* makeToken(tenantId, leaving, by(leaving))
      const members = yield* MemberRepository
      const change = { tenantId, memberId: leaving, role: "role_file_reader", created: end, at: Sample.at(5) } as const
      expect(Option.getOrThrow(yield* members.changeRole(change)).role.id).toBe("role_file_reader")
      expect((yield* tokenOf(tenantId, tokenId)).revokedAt).toEqual(Sample.at(5))
      expect((yield* tokenOf(tenantId, own)).revokedAt).toBeNull()
      expect(yield* (yield* MirrorRepository).find(mirror, Sample.at())).toEqual(Option.none())
    })
  )

  it.effect("remove: token that a created token created in another member's name → ended, too, in either case", () =>
    Effect.gen(function* () {
      for (const goes of ["leaving", "other"] as const) {
        const made = yield* setUp
        const last = yield* Fixtures.member(made.tenantId)
        const second = yield* makeToken(made.tenantId, made.staying, by(made.other, made.tokenId))
        const third = yield* makeToken(made.tenantId, last.id, by(made.staying, second))
        expect(yield* remove(made.tenantId, made[goes], end)).toBe(true)
        for (const tokenId of [second, third]) {
          expect((yield* tokenOf(made.tenantId, tokenId)).revokedAt, goes).toEqual(Sample.at(5))
        }
      }
    })
  )

  it.effect("remove: only revoked and expired tokens, and a removed mirror → removed without a decision", () =>
    Effect.gen(function* () {
      const { leaving, mirror, other, tenantId, tokenId } = yield* setUp
      yield* (yield* TokenRepository).revoke({ tenantId, tokenId, at: Sample.at(1) })
      yield* (yield* MirrorRepository).remove(mirror)
      yield* makeToken(tenantId, other, by(leaving), { expiresAt: Sample.at(4) })
      expect(yield* remove(tenantId, leaving, refuse)).toBe(true)
    })
  )

  it.effect("create: creator removed or demoted → Forbidden; its token revoked or expired → Unauthenticated", () =>
    Effect.gen(function* () {
      const { leaving, other, staying, tenantId, tokenId } = yield* setUp
      const expired = yield* makeToken(tenantId, other, by(staying), { expiresAt: Sample.at(-1) })
      yield* remove(tenantId, leaving, end)
      const reader = yield* Fixtures.member(tenantId, Sample.member("role_file_reader"))
      for (const [createdBy, tag] of [
        [by(leaving), "Forbidden"],
        [by(reader.id), "Forbidden"],
        [by(other, tokenId), "Unauthenticated"],
        [by(other, expired), "Unauthenticated"]
      ] as const) {
        expect((yield* Effect.flip(makeToken(tenantId, staying, createdBy)))._tag).toBe(tag)
        expect((yield* Effect.flip(makeMirror(tenantId, createdBy)))._tag).toBe(tag)
      }
    })
  )

  it.effect("create: 20 tokens with its keys while the creator is removed → none of them works on", () =>
    Effect.gen(function* () {
      const { leaving, other, staying, tenantId, tokenId } = yield* setUp
      const create = (index: number) => makeToken(tenantId, staying, index % 2 === 0 ? by(leaving) : by(other, tokenId))
      const removal = Effect.as(remove(tenantId, leaving, end), "removed")
      const results = yield* Fixtures.concurrently(21, (index) =>
        Effect.gen(function* () {
          return index === 10 ? yield* removal : yield* create(index)
        })
      )
      expect(results[10]).toEqual(Result.succeed("removed"))
      for (const [index, result] of results.entries()) {
        if (index === 10) continue
        if (Result.isSuccess(result)) expect((yield* tokenOf(tenantId, result.success)).revokedAt).not.toBeNull()
        else expect(["Forbidden", "Unauthenticated"]).toContain(result.failure._tag)
      }
    })
  )

  it.effect("remove: 1,100 created tokens → refusal counts 1,000; End revokes all", () =>
    Effect.gen(function* () {
      const { leaving, other, tenantId } = yield* setUp
      const made = yield* Effect.forEach(Array.from({ length: 1100 }).keys(), () =>
        makeToken(tenantId, other, by(leaving))
      )
      const error = yield* Effect.flip(remove(tenantId, leaving, refuse))
      expect(error).toMatchObject({ created: { isComplete: false, items: { length: 20 } } })
      expect(yield* remove(tenantId, leaving, end)).toBe(true)
      for (const tokenId of made) expect((yield* tokenOf(tenantId, tokenId)).revokedAt).not.toBeNull()
    })
  )
}
