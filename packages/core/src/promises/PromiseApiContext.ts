/**
 * What stands behind an open Holdfast, for packages that set another door before the same services, such as HTTP. It
 * is no part of what applications use.
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Digest } from "effect/crypto/Digest"
import type { Accounts } from "../accounts/Accounts.ts"
import type { Actor } from "../Actor.ts"
import type { InvalidRequest, Unauthenticated } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { PromiseApiServices } from "./Runner.ts"

export interface PromiseApiContext {
  /** The services and the settings. */
  readonly services: Context.Context<PromiseApiServices>
  /** What is added to it is closed before the services are. */
  readonly scope: Scope.Scope
  /** Whether `close` was called. */
  readonly isClosed: () => boolean
  /** The actor behind a handle of this instance; `InvalidRequest` for anything else. */
  readonly resolve: (
    handle: unknown
  ) => Effect.Effect<Actor, Unauthenticated | InvalidRequest | MetadataError, Digest | Accounts>
}

const contexts = new WeakMap<object, PromiseApiContext>()

/** Called once for each instance, by its constructor. */
export const register = (holdfast: object, context: PromiseApiContext): void => void contexts.set(holdfast, context)

/** The context of an instance; throws for what is none, or comes from another copy of this package. */
export const of = (holdfast: object): PromiseApiContext => {
  const context = contexts.get(holdfast)
  if (context === undefined)
    throw new TypeError("expected a Holdfast, as open() of this copy of @holdfast/core gives it")
  return context
}
