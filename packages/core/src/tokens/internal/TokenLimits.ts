/**
 * Decides the scope of a new token, and from which origins it may be used.
 */
import * as Effect from "effect/Effect"
import { type Identity, limitsOf } from "../../access/Access.ts"
import { HostLimits } from "../../access/HostLimits.ts"
import * as Scope from "../../access/Scope.ts"
import { InvalidRequest } from "../../Errors.ts"
import type { Permission } from "../../Permission.ts"
import type { CreateToken, Token } from "../Token.ts"

type Limits = Pick<Token, "scope" | "allowedOrigins">

/** Returns a scope with those of its permissions that a host gives. */
const withinHost = (scope: Scope.Scope | null, permissions: ReadonlyArray<Permission>): Scope.Scope => ({
  ...scope,
  permissions: scope?.permissions?.filter((permission) => permissions.includes(permission)) ?? permissions
})

/**
 * Returns the limits of a new token. Each limit that is not requested is that of the token that creates this one. The host of the API
 * limits the tokens of every actor, also those of the deployment itself. Fails with `InvalidRequest` at each field that would be
 * wider: otherwise the holder of a key could widen it.
 */
export const decide = Effect.fnUntraced(function* (
  requested: Pick<CreateToken, "scope" | "allowedOrigins">,
  identity: Identity
): Effect.fn.Return<Limits, InvalidRequest> {
  const presented = limitsOf(identity)
  const host = (yield* HostLimits)?.permissions
  const widest = host === undefined ? presented.scope : withinHost(presented.scope, host)
  const scope = widest === null ? (requested.scope ?? null) : { ...widest, ...requested.scope }
  const allowedOrigins = requested.allowedOrigins ?? presented.allowedOrigins
  const excess = [
    ...(widest === null || scope === null ? [] : Scope.excessOf(scope, widest)),
    ...(allowedOrigins?.every((origin) => presented.allowedOrigins?.includes(origin) ?? true) === false
      ? ["/allowedOrigins"]
      : [])
  ]
  if (excess.length === 0) return { scope, allowedOrigins }
  const detail = "must be within what the token that creates this one, or the host of the API, permits"
  return yield* InvalidRequest.of(excess.map((pointer) => ({ pointer, detail })))
})
