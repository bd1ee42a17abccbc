/**
 * The port that keeps members. Each method is one atomic step, and sees one tenant alone.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { NotFound } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { RoleId } from "../Role.ts"
import type { LastAdmin, Member, MemberExists } from "./Member.ts"

export class MemberRepository extends Context.Service<
  MemberRepository,
  {
    /**
     * Stores a member. Its account is found by the e-mail, case-insensitively, and stored as `member.user` says when
     * there is none yet. Answers with the member as it stands. `NotFound` when there is no such tenant.
     */
    readonly add: (tenantId: string, member: Member) => Effect.Effect<Member, MemberExists | NotFound | MetadataError>

    readonly find: (tenantId: string, memberId: string) => Effect.Effect<Option.Option<Member>, MetadataError>

    /** Members ordered by id. */
    readonly list: (
      tenantId: string,
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Member>, MetadataError>

    /** Changes a role; concurrent changes never leave the tenant without an Admin. */
    readonly changeRole: (
      tenantId: string,
      memberId: string,
      role: RoleId,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<Member>, LastAdmin | MetadataError>

    /** Removes a member with its tokens; false when there is none. Concurrent removals leave an Admin. */
    readonly remove: (tenantId: string, memberId: string) => Effect.Effect<boolean, LastAdmin | MetadataError>
  }
>()("@holdfast/core/members/MemberRepository") {}
