/**
 * The record that an actor gets of itself: its account, its credential and its role.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Actor } from "../Actor.ts"
import { Forbidden } from "../Errors.ts"
import * as Role from "../Role.ts"
import { Access, type AccessError } from "./Access.ts"
import { AllowedOrigins } from "./Origin.ts"
import { Scope } from "./Scope.ts"

export const Me = Schema.Struct({
  user: Schema.Struct({ id: Schema.String, email: Schema.String }),
  credential: Schema.NullOr(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.Literals(["ACCOUNT_KEY", "API_TOKEN"]),
      expiresAt: Schema.NullOr(Schema.DateTimeUtcFromString),
      scope: Schema.NullOr(Scope),
      allowedOrigins: Schema.NullOr(AllowedOrigins)
    })
  ),
  tenantId: Schema.NullOr(Schema.String).annotate({ description: "The tenant that an API token is tied to." }),
  role: Schema.NullOr(Role.RoleRef).annotate({ description: "The role of an API token's member." })
}).annotate({ identifier: "Me" })
export type Me = typeof Me.Type

const noAccount = new Forbidden("The deployment itself has no account. Use an account key or an API token.")

/** Returns the actor's account and credential. Fails with `Forbidden` for the deployment itself, which has no account. */
export const get = Effect.fnUntraced(function* (actor: Actor): Effect.fn.Return<Me, AccessError, Access> {
  const { identify } = yield* Access
  const identity = yield* identify(actor)
  if (identity === "system") return yield* noAccount
  const { account, credential } = identity
  const tenantId = credential === null ? null : credential.tenantId
  const inTenant = tenantId === null ? identity : yield* identify(actor, tenantId)
  const member = inTenant === "system" ? null : inTenant.member
  return {
    user: account,
    credential:
      credential === null
        ? null
        : {
            id: credential.id,
            kind: tenantId === null ? ("ACCOUNT_KEY" as const) : ("API_TOKEN" as const),
            expiresAt: credential.expiresAt,
            scope: credential.scope,
            allowedOrigins: credential.allowedOrigins
          },
    tenantId,
    role: member === null ? null : { id: member.role, name: Role.nameOf(member.role) }
  }
})
