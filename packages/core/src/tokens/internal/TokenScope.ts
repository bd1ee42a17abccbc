/**
 * Decides the scope of a new token.
 */
import * as Effect from "effect/Effect"
import { grantedScope, type Identity } from "../../access/Access.ts"
import * as Scope from "../../access/Scope.ts"
import { InvalidRequest } from "../../Errors.ts"

/**
 * Returns the scope of a new token, null for none. Each field that is not requested is that of the token that creates this one.
 * Fails with `InvalidRequest` at each field that would be wider: otherwise the holder of a key could widen its own scope.
 */
export const decide = (
  requested: Scope.Scope | undefined,
  identity: Identity
): Effect.Effect<Scope.Scope | null, InvalidRequest> => {
  const widest = grantedScope(identity)
  if (widest === undefined) return Effect.succeed(requested ?? null)
  const wanted = { ...widest, ...requested }
  const errors = Scope.excessOf(wanted, widest)
  return errors.length === 0
    ? Effect.succeed(wanted)
    : Effect.fail(new InvalidRequest({ message: "The request is not valid.", errors }))
}
