/**
 * An invitation: a membership that its account has not accepted yet.
 */
import * as Schema from "effect/Schema"
import * as Role from "../Role.ts"

export const Invitation = Schema.Struct({
  tenant: Schema.Struct({ id: Schema.String, name: Schema.String }),
  role: Role.RoleRef,
  createdAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type
