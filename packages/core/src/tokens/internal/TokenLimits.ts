/**
 * Decides the scope of a new token, and from which origins it may be used.
 */
import * as Effect from "effect/Effect"
import { type Identity, limitsOf } from "../../access/Access.ts"
import * as Scope from "../../access/Scope.ts"
import { InvalidRequest } from "../../Errors.ts"
import type { CreateToken, Token } from "../Token.ts"

type Limits = Pick<Token, "scope" | "allowedOrigins">

/**
 * Returns the limits of a new token. Each limit that is not requested is that of the token that creates this one. Fails with
 * `InvalidRequest` at each field that would be wider: otherwise the holder of a key could widen it.
 */
export const decide = (
  requested: Pick<CreateToken, "scope" | "allowedOrigins">,
  identity: Identity
): Effect.Effect<Limits, InvalidRequest> => {
  const widest = limitsOf(identity)
  const scope = widest.scope === null ? (requested.scope ?? null) : { ...widest.scope, ...requested.scope }
  const allowedOrigins = requested.allowedOrigins ?? widest.allowedOrigins
  const excess = [
    ...(widest.scope === null || scope === null ? [] : Scope.excessOf(scope, widest.scope)),
    ...(allowedOrigins?.every((origin) => widest.allowedOrigins?.includes(origin) ?? true) === false
      ? ["/allowedOrigins"]
      : [])
  ]
  const detail = "must be within what the token that creates this one, or the host of the API, permits"
  return excess.length === 0
    ? Effect.succeed({ scope, allowedOrigins })
    : Effect.fail(InvalidRequest.of(excess.map((pointer) => ({ pointer, detail }))))
}
