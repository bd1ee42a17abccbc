/**
 * The services and the scope of an open `Holdfast`, for packages that expose the same services otherwise, such as
 * `@holdfast/http`. Applications do not need it.
 */
import type * as Context from "effect/Context"
import type * as Scope from "effect/Scope"
import type { ActorLookup } from "./internal/ActorHandle.ts"
import type { PromiseApiServices } from "./PromiseRuntime.ts"

export interface PromiseApiContext {
  /** The services and the settings. */
  readonly services: Context.Context<PromiseApiServices>
  /** Finalizers that are added to it run before the services are closed. */
  readonly scope: Scope.Scope
  /** Whether `close` was called. */
  readonly isClosed: () => boolean
  /** Finds the actor of a handle of this instance. Fails with `InvalidRequest` for any other value. */
  readonly resolve: (handle: unknown) => ActorLookup
}

const contexts = new WeakMap<object, PromiseApiContext>()

/** Registers the context of an instance. The constructor of `Holdfast` calls it once. */
export const register = (holdfast: object, context: PromiseApiContext): void => void contexts.set(holdfast, context)

/** Returns the context of an instance. Throws for a value that is no instance, or one of another copy of this package. */
export const of = (holdfast: object): PromiseApiContext => {
  const context = contexts.get(holdfast)
  if (context === undefined)
    throw new TypeError("expected a Holdfast that open() of this copy of @holdfast/core returned")
  return context
}
