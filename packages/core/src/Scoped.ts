/**
 * Acquires resources on the hot path, that is, in code that runs for each request.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/**
 * Acquires a resource and releases it when the scope closes, like `Effect.acquireRelease`, but for a release that requires
 * no services. `Effect.acquireRelease` keeps all services for each release: it copies the whole context of the program each
 * time, which takes some twenty microseconds in the service.
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
