/**
 * The port that stores members. Each method is one atomic step on one tenant.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Account } from "../accounts/Account.ts"
import type { Forbidden, NotFound, QuotaExceeded } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type { RoleId } from "../Role.ts"
import type { CreatedResourcesRemain } from "./CreatedResources.ts"
import type { Invitation } from "./Invitation.ts"
import type { LastAdmin, Member, MemberExists } from "./Member.ts"

/** What becomes of the tokens of other members, and the mirrors, that a member created. */
export type CreatedDecision =
  /** The change fails when there are any. */
  | { readonly _tag: "Refuse" }
  /** The tokens are revoked, the mirrors removed. */
  | { readonly _tag: "End" }
  /** This member becomes the creator; null is the deployment itself. */
  | { readonly _tag: "Transfer"; readonly to: string | null }

export class MemberRepository extends Context.Service<
  MemberRepository,
  {
    /**
     * Stores a member and returns it as stored. The `user` of an ACTIVE member is the existing account with that e-mail, compared
     * case-insensitively, or `member.user`, which is stored when there is none. The `user` of an INVITED member is always
     * `member.user`: neither the result nor its time depends on whether there is an account. Fails with `NotFound` when there is
     * no such tenant, and with `MemberExists` when the tenant has a member with this e-mail, in either state.
     */
    readonly add: (
      tenantId: string,
      member: Member
    ) => Effect.Effect<Member, MemberExists | NotFound | QuotaExceeded | MetadataError>

    /** Lists the invitations of an e-mail, ordered by the ids of their tenants. */
    readonly listInvitations: (
      query: { readonly email: string } & Slice
    ) => Effect.Effect<ReadonlyArray<Invitation>, MetadataError>

    /**
     * Makes the INVITED member with the account's e-mail ACTIVE, with this account. None when the tenant has no such member.
     * `MemberExists` when the account is another member of the tenant.
     */
    readonly accept: (acceptance: {
      readonly tenantId: string
      readonly account: Account
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<Member>, MemberExists | MetadataError>

    /** Finds the id of the member of an account, in either state. */
    readonly findOwn: (query: {
      readonly tenantId: string
      readonly account: Account
    }) => Effect.Effect<Option.Option<string>, MetadataError>

    readonly find: (tenantId: string, memberId: string) => Effect.Effect<Option.Option<Member>, MetadataError>

    /** Lists a tenant's members, ordered by id. */
    readonly list: (query: { readonly tenantId: string } & Slice) => Effect.Effect<ReadonlyArray<Member>, MetadataError>

    /**
     * Changes a member's role; none when there is no such member. Fails with `LastAdmin` rather than leave the tenant
     * without an ACTIVE Admin, also when changes run concurrently. If the new role may not create tokens and mirrors, what the
     * member created is treated as by `remove`.
     */
    readonly changeRole: (change: {
      readonly tenantId: string
      readonly memberId: string
      readonly role: RoleId
      readonly created: CreatedDecision
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<Member>, LastAdmin | CreatedResourcesRemain | Forbidden | MetadataError>

    /**
     * Removes a member and its tokens; false when there is none. Fails with `LastAdmin` rather than leave the tenant
     * without an ACTIVE Admin, also when removals run concurrently.
     *
     * Before, decides on what the member created, also at the same time: fails with `CreatedResourcesRemain`, or ends or
     * transfers it, in batches. An interrupted call leaves the member, and may have ended or transferred a part. Fails with
     * `Forbidden` when the member to transfer to may not create tokens and mirrors.
     */
    readonly remove: (removal: {
      readonly tenantId: string
      readonly memberId: string
      readonly created: CreatedDecision
      readonly at: DateTime.Utc
    }) => Effect.Effect<boolean, LastAdmin | CreatedResourcesRemain | Forbidden | MetadataError>
  }
>()("@holdfast/core/members/MemberRepository") {}
