/**
 * A member: an account in one tenant, with exactly one role.
 */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { Account } from "../accounts/Account.ts"
import * as Role from "../Role.ts"
import { Email } from "../Text.ts"

/**
 * - `INVITED`: the account has not accepted. It has no permission in the tenant, and the tenant is not in its list.
 * - `ACTIVE`: the account has the permissions of the role.
 *
 * API tokens of a member work in both states: they belong to the tenant, whose Admins create them.
 */
export const MemberStatus = Schema.Literals(["INVITED", "ACTIVE"])
export type MemberStatus = typeof MemberStatus.Type

export const Member = Schema.Struct({
  id: Schema.String,
  user: Account.annotate({
    description: "The account. Before it accepts: the e-mail as invited, with an id that belongs to the invitation."
  }),
  role: Role.RoleRef,
  status: MemberStatus.annotate({
    description: "INVITED until the account accepts: it has no permission yet. Tokens of the member work before, too."
  }),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "Member" })
export type Member = typeof Member.Type

export const AddMember = Schema.Struct({
  user: Schema.Struct({ email: Email }),
  role: Role.Selector
}).annotate({ identifier: "AddMember" })
export type AddMember = typeof AddMember.Type

export const UpdateMember = Schema.Struct({ role: Role.Selector }).annotate({ identifier: "UpdateMember" })
export type UpdateMember = typeof UpdateMember.Type

/** The account is already a member of this tenant. `existingId` is the id of that member. */
export class MemberExists extends Data.TaggedError("MemberExists")<{ readonly existingId: string }> {
  readonly code = "member_exists"
  override readonly message = "This account is already a member of the tenant."
}

/** The change would leave the tenant without an Admin whose account has accepted. */
export class LastAdmin extends Data.TaggedError("LastAdmin")<{}> {
  readonly code = "last_admin"
  override readonly message =
    "A tenant must have at least one Admin who has accepted the invitation. Make another member Admin first."
}
