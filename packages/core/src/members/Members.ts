/**
 * Adds, lists and removes the members of a tenant and changes their roles. Requires `member:manage`, which only Admins
 * have.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError, type Identity } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import { withinQuota } from "../quotas/CurrentQuota.ts"
import * as Permission from "../Permission.ts"
import * as Role from "../Role.ts"
import { StorageRoom } from "../StorageRoom.ts"
import { CreatedChoice, type CreatedResourcesRemain } from "./CreatedResources.ts"
import * as Creator from "../access/Creator.ts"
import * as Member from "./Member.ts"
import { MemberRepository } from "./MemberRepository.ts"

/** What becomes of the tokens and mirrors that a member created. Default: the call fails when there are any. */
export interface CreatedOption {
  /** `end` ends them, `transfer` makes the caller their creator. Default: the call fails when there are any. */
  readonly created?: CreatedChoice | undefined
}

export class Members extends Context.Service<
  Members,
  {
    /**
     * Adds a member by e-mail. The member is INVITED until its account accepts (`Memberships.accept`): the account cannot be made a
     * member against its will, and the result does not tell whether it exists. The deployment itself adds ACTIVE members, and
     * creates an account when the address has none.
     */
    readonly add: (
      actor: Actor,
      tenantId: string,
      input: Member.AddMember
    ) => Effect.Effect<Member.Member, AccessError | InvalidRequest | NotFound | QuotaExceeded | Member.MemberExists>

    /** Lists a tenant's members, ordered by id. */
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

    /**
     * Changes a member's role, from the member's next request on. The last Admin's role cannot be changed. Fails with
     * `CreatedResourcesRemain` when the member created tokens or mirrors that its new role may not create, unless the input
     * says what becomes of them.
     */
    readonly update: (
      actor: Actor,
      tenantId: string,
      memberId: string,
      input: Member.UpdateMember & CreatedOption
    ) => Effect.Effect<
      Member.Member,
      AccessError | InvalidRequest | NotFound | Member.LastAdmin | CreatedResourcesRemain
    >

    /**
     * Removes a member and its tokens. The last Admin cannot be removed. Fails with `CreatedResourcesRemain` when the member
     * created tokens of other members, or mirrors, unless the options say what becomes of them.
     */
    readonly remove: (
      actor: Actor,
      tenantId: string,
      memberId: string,
      options?: CreatedOption
    ) => Effect.Effect<void, AccessError | InvalidRequest | NotFound | Member.LastAdmin | CreatedResourcesRemain>
  }
>()("@holdfast/core/members/Members") {}

const decodeAdd = Input.decoder(Member.AddMember)
const decodeUpdate = Input.decoder(Member.UpdateMember)
const decodeOption = Input.decoder(Schema.Struct({ created: Schema.optional(CreatedChoice) }))

/** Returns the decision for the repository. Fails with `InvalidRequest` when a member would transfer to itself. */
const decide = Effect.fnUntraced(function* (identity: Identity, memberId: string, options: CreatedOption) {
  const { created } = yield* decodeOption(options)
  if (created === undefined) return { _tag: "Refuse" } as const
  if (created === "end") return { _tag: "End" } as const
  const to = Creator.of(identity)?.member.id ?? null
  return to === memberId
    ? yield* InvalidRequest.at("/created", "must be end: transfer hands over to the caller, who is this member")
    : ({ _tag: "Transfer", to } as const)
})

const make = Effect.gen(function* () {
  const access = yield* Access
  const room = yield* StorageRoom
  const repository = yield* MemberRepository
  const within = yield* withinQuota
  const random = yield* SecureRandom
  const newId = (kind: Ids.Kind) => Effect.provideService(Ids.make(kind), SecureRandom, random)
  const missing = new NotFound({ resource: "member" })
  const checkId = (memberId: string) => (Ids.is("mem", memberId) ? Effect.void : Effect.fail(missing))

  /** Succeeds if the actor has all permissions of a role: a token with a scope cannot give what the scope lacks. */
  const requireRole = (actor: Actor, tenantId: string, role: Role.RoleId) =>
    Effect.forEach(Permission.ofRole(role), (permission) => access.require(actor, tenantId, permission), {
      discard: true
    })

  return Members.of({
    add: Effect.fn("Members.add")(function* (actor, tenantId, input) {
      const identity = yield* access.require(actor, tenantId, "member:manage")
      const { role: selector, user } = yield* decodeAdd(input)
      const role = yield* Role.resolve(selector)
      yield* requireRole(actor, tenantId, role)
      const now = yield* DateTime.now
      yield* room.forRecord
      const member = yield* repository
        .add(tenantId, {
          id: yield* newId("mem"),
          user: { id: yield* newId("acc"), email: user.email },
          role: { id: role, name: Role.nameOf(role) },
          status: identity === "system" ? "ACTIVE" : "INVITED",
          createdAt: now,
          updatedAt: now
        })
        .pipe(within(tenantId), by(identity))
      yield* access.clearCache
      return member
    }),

    list: Effect.fn("Members.list")(function* (actor, tenantId, page) {
      yield* access.require(actor, tenantId, "member:manage")
      return yield* Page.listById(page, (slice) => repository.list({ tenantId, ...slice }))
    }),

    get: Effect.fn("Members.get")(function* (actor, tenantId, memberId) {
      yield* access.require(actor, tenantId, "member:manage")
      yield* checkId(memberId)
      return yield* NotFound.whenNone(repository.find(tenantId, memberId), missing)
    }),

    update: Effect.fn("Members.update")(function* (actor, tenantId, memberId, input) {
      const identity = yield* access.require(actor, tenantId, "member:manage")
      yield* checkId(memberId)
      const role = yield* Role.resolve((yield* decodeUpdate(input)).role)
      yield* requireRole(actor, tenantId, role)
      const created = yield* decide(identity, memberId, input)
      const changed = yield* NotFound.whenNone(
        by(identity)(repository.changeRole({ tenantId, memberId, role, created, at: yield* DateTime.now })),
        missing
      )
      yield* access.clearCache
      return changed
    }),

    remove: Effect.fn("Members.remove")(function* (actor, tenantId, memberId, options = {}) {
      const identity = yield* access.require(actor, tenantId, "member:manage")
      yield* checkId(memberId)
      const created = yield* decide(identity, memberId, options)
      const removal = { tenantId, memberId, created, at: yield* DateTime.now }
      if (!(yield* by(identity)(repository.remove(removal)))) return yield* missing
      yield* access.clearCache
    })
  })
})

export const layer: Layer.Layer<Members, never, Access | MemberRepository | SecureRandom> = Layer.effect(Members, make)
