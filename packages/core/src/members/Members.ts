/**
 * Members of a tenant: adding, listing, changing roles, removing. Admins alone.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, type InvalidRequest, NotFound } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import * as Role from "../Role.ts"
import * as Member from "./Member.ts"
import { MemberRepository } from "./MemberRepository.ts"

export class Members extends Context.Service<
  Members,
  {
    /** Adds a member by e-mail; an account is created when the address has none. */
    readonly add: (
      actor: Actor,
      tenantId: string,
      input: Member.AddMember
    ) => Effect.Effect<Member.Member, AccessError | InvalidRequest | NotFound | Member.MemberExists>

    readonly list: (
      actor: Actor,
      tenantId: string,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Member.Member>, AccessError | InvalidRequest | InvalidCursor>

    readonly get: (
      actor: Actor,
      tenantId: string,
      memberId: string
    ) => Effect.Effect<Member.Member, AccessError | NotFound>

    /** Changes a member's role; the last Admin keeps it. Holds for the member's next request. */
    readonly update: (
      actor: Actor,
      tenantId: string,
      memberId: string,
      input: Member.UpdateMember
    ) => Effect.Effect<Member.Member, AccessError | InvalidRequest | NotFound | Member.LastAdmin>

    /** Removes a member with its tokens; the last Admin stays. */
    readonly remove: (
      actor: Actor,
      tenantId: string,
      memberId: string
    ) => Effect.Effect<void, AccessError | NotFound | Member.LastAdmin>
  }
>()("@holdfast/core/members/Members") {}

const decodeAdd = Input.decoder(Member.AddMember)
const decodeUpdate = Input.decoder(Member.UpdateMember)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* MemberRepository
  const random = yield* SecureRandom
  const freshId = (kind: Ids.Kind) => Effect.provideService(Ids.make(kind), SecureRandom, random)
  const missing = new NotFound({ resource: "member" })
  const guard = (memberId: string) => (Ids.is("mem", memberId) ? Effect.void : Effect.fail(missing))

  return Members.of({
    add: Effect.fn("Members.add")(function* (actor, tenantId, input) {
      yield* access.require(actor, tenantId, "member:manage")
      const { role: selector, user } = yield* decodeAdd(input)
      const role = yield* Role.select(selector)
      const now = yield* DateTime.now
      const member = yield* repository.add(tenantId, {
        id: yield* freshId("mem"),
        user: { id: yield* freshId("acc"), email: user.email },
        role: { id: role, name: Role.nameOf(role) },
        createdAt: now,
        updatedAt: now
      })
      yield* access.forget
      return member
    }),

    list: Effect.fn("Members.list")(function* (actor, tenantId, page) {
      yield* access.require(actor, tenantId, "member:manage")
      return yield* Page.byId(page, (after, limit) => repository.list(tenantId, after, limit))
    }),

    get: Effect.fn("Members.get")(function* (actor, tenantId, memberId) {
      yield* access.require(actor, tenantId, "member:manage")
      yield* guard(memberId)
      return yield* NotFound.unless(repository.find(tenantId, memberId), missing)
    }),

    update: Effect.fn("Members.update")(function* (actor, tenantId, memberId, input) {
      yield* access.require(actor, tenantId, "member:manage")
      yield* guard(memberId)
      const role = yield* Role.select((yield* decodeUpdate(input)).role)
      const changed = yield* NotFound.unless(
        repository.changeRole(tenantId, memberId, role, yield* DateTime.now),
        missing
      )
      yield* access.forget
      return changed
    }),

    remove: Effect.fn("Members.remove")(function* (actor, tenantId, memberId) {
      yield* access.require(actor, tenantId, "member:manage")
      yield* guard(memberId)
      if (!(yield* repository.remove(tenantId, memberId))) return yield* missing
      yield* access.forget
    })
  })
})

export const layer: Layer.Layer<Members, never, Access | MemberRepository | SecureRandom> = Layer.effect(Members, make)
