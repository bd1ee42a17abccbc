/**
 * The creator of a token or a mirror: the member whose key was presented.
 *
 * A person who knows a key keeps what it created. Therefore a member also answers for everything that was created with the tokens
 * that it created for other members, and with theirs in turn. The repositories record all these members with each token and
 * mirror.
 */
import * as Schema from "effect/Schema"
import { Forbidden } from "../Errors.ts"
import { type Identity, tokenOf } from "./Access.ts"
import * as Role from "../Role.ts"

const Ref = Schema.Struct({ id: Schema.String })

/** The field `createdBy` of records. */
export const CreatedBy = Schema.NullOr(
  Schema.Struct({
    member: Ref,
    token: Schema.NullOr(Ref).annotate({ description: "The API token that was presented; null for another key." })
  })
).annotate({
  description: "The creator. Null when the deployment itself created it, or a version that did not record creators."
})
export type CreatedBy = typeof CreatedBy.Type

/** Returns the creator of what an actor creates; null for the deployment itself. */
export const of = (identity: Identity): CreatedBy => {
  if (identity === "system" || identity.member === null) return null
  const token = tokenOf(identity)
  return { member: { id: identity.member.id }, token: token === undefined ? null : { id: token.id } }
}

/** The error for a caller that is not, or no longer, a member with such a role. */
export const notCreator = new Forbidden(
  "The creator of tokens and mirrors needs the permissions token:manage and mirror:manage, which the caller does not have in this tenant."
)

/** Whether members with a role may create all that has a creator. */
export const mayCreate = (role: Role.RoleId): boolean =>
  Role.permits(role, "token:manage") && Role.permits(role, "mirror:manage")
