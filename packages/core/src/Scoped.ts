/**
 * Resources of paths that run with each request.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/**
 * As `Effect.acquireRelease`, for a release that needs no services of its own. That one keeps all services for each
 * release, which copies the whole of the program's context each time: some twenty microseconds in a service.
 */
export const acquire = <A, E, R>(
  acquire: Effect.Effect<A, E, R>,
  release: (resource: A) => Effect.Effect<unknown>
): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.scope, (scope) =>
      Effect.tap(acquire, (resource) =>
        Scope.addFinalizer(
          scope,
          Effect.suspend(() => release(resource))
        )
      )
    )
  )
