/**
 * The memberships of the actor's own account: accepts and declines invitations, and leaves tenants. For accounts only: the API
 * token of a member acts for the member in its tenant, not for the account.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Access, type AccessError, tokenOf } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { Forbidden, type InvalidCursor, type InvalidRequest, NotFound } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import type { CreatedResourcesRemain } from "./CreatedResources.ts"
import type { Invitation } from "./Invitation.ts"
import type { LastAdmin, Member, MemberExists } from "./Member.ts"
import { MemberRepository } from "./MemberRepository.ts"

/** What becomes of the tokens and mirrors that the member created: `end` ends them. Default: the call fails when there are any. */
export interface LeaveOptions {
  /** `end` ends them. Default: the call fails when there are any. */
  readonly created?: "end" | undefined
}

export class Memberships extends Context.Service<
  Memberships,
  {
    /** Lists the invitations of the account, ordered by the ids of the tenants. */
    readonly invitations: (
      actor: Actor,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Invitation>, AccessError | InvalidRequest | InvalidCursor>

    /** Accepts an invitation: the account has the permissions of its role from then on. */
    readonly accept: (actor: Actor, tenantId: string) => Effect.Effect<Member, AccessError | NotFound | MemberExists>

    /** Leaves a tenant, or declines its invitation. The last Admin cannot leave. */
    readonly leave: (
      actor: Actor,
      tenantId: string,
      options?: LeaveOptions
    ) => Effect.Effect<void, AccessError | InvalidRequest | NotFound | LastAdmin | CreatedResourcesRemain>
  }
>()("@holdfast/core/members/Memberships") {}

const decodeOptions = Input.decoder(Schema.Struct({ created: Schema.optional(Schema.Literals(["end"])) }))

const notAccount = new Forbidden(
  "Memberships and invitations belong to an account. Use an account key: an API token works in its own tenant alone."
)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* MemberRepository
  const missing = new NotFound({ resource: "membership" })

  /** Returns the actor's account, with its identity. Fails with `Forbidden` for the deployment itself and for API tokens. */
  const getAccount = Effect.fnUntraced(function* (actor: Actor) {
    const identity = yield* access.identify(actor)
    if (identity === "system" || tokenOf(identity) !== undefined) return yield* notAccount
    return { account: identity.account, identity }
  })

  return Memberships.of({
    invitations: Effect.fn("Memberships.invitations")(function* (actor, page) {
      const { email } = (yield* getAccount(actor)).account
      const found = yield* Page.listById(page, (slice) =>
        Effect.map(repository.listInvitations({ email, ...slice }), (invitations) =>
          invitations.map((invitation) => ({ id: invitation.tenant.id, invitation }))
        )
      )
      return { items: found.items.map(({ invitation }) => invitation), nextCursor: found.nextCursor }
    }),

    accept: Effect.fn("Memberships.accept")(function* (actor, tenantId) {
      const { account, identity } = yield* getAccount(actor)
      if (!Ids.is("ten", tenantId)) return yield* missing
      const acceptance = { tenantId, account, at: yield* DateTime.now }
      const member = yield* NotFound.whenNone(by(identity)(repository.accept(acceptance)), missing)
      yield* access.clearCache
      return member
    }),

    leave: Effect.fn("Memberships.leave")(function* (actor, tenantId, options = {}) {
      const { account, identity } = yield* getAccount(actor)
      if (!Ids.is("ten", tenantId)) return yield* missing
      const { created } = yield* decodeOptions(options)
      const memberId = yield* repository.findOwn({ tenantId, account })
      if (Option.isNone(memberId)) return yield* missing
      const removal = {
        tenantId,
        memberId: memberId.value,
        created: { _tag: created === "end" ? "End" : "Refuse" },
        at: yield* DateTime.now
      } as const
      // `Transfer` alone fails with `Forbidden`.
      const isRemoved = yield* Effect.catchTag(by(identity)(repository.remove(removal)), "Forbidden", Effect.die)
      if (!isRemoved) return yield* missing
      yield* access.clearCache
    })
  })
})

export const layer: Layer.Layer<Memberships, never, Access | MemberRepository> = Layer.effect(Memberships, make)
