/**
 * The port that stores members. Each method is one atomic step on one tenant.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { NotFound } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type { RoleId } from "../Role.ts"
import type { LastAdmin, Member, MemberExists } from "./Member.ts"

export class MemberRepository extends Context.Service<
  MemberRepository,
  {
    /**
     * Stores a member and returns it as stored: its `user` is the existing account with that e-mail, compared
     * case-insensitively, or `member.user`, which is stored when there is none. Fails with `NotFound` when there is no
     * such tenant.
     */
    readonly add: (tenantId: string, member: Member) => Effect.Effect<Member, MemberExists | NotFound | MetadataError>

    readonly find: (tenantId: string, memberId: string) => Effect.Effect<Option.Option<Member>, MetadataError>

    /** Lists a tenant's members, ordered by id. */
    readonly list: (query: { readonly tenantId: string } & Slice) => Effect.Effect<ReadonlyArray<Member>, MetadataError>

    /**
     * Changes a member's role; none when there is no such member. Fails with `LastAdmin` rather than leave the tenant
     * without an Admin, also when changes run concurrently.
     */
    readonly changeRole: (change: {
      readonly tenantId: string
      readonly memberId: string
      readonly role: RoleId
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<Member>, LastAdmin | MetadataError>

    /**
     * Removes a member and its tokens; false when there is none. Fails with `LastAdmin` rather than leave the tenant
     * without an Admin, also when removals run concurrently.
     */
    readonly remove: (tenantId: string, memberId: string) => Effect.Effect<boolean, LastAdmin | MetadataError>
  }
>()("@holdfast/core/members/MemberRepository") {}
