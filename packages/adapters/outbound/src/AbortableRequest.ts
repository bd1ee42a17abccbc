/**
 * Requests of clients that return promises and take an `AbortSignal`, as effects.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** Makes one request, which the signal aborts. It must not throw before it returns its promise. */
export type Request<A> = (signal: AbortSignal) => Promise<A>

/** How long an interruption waits for the promise of the request that it aborts. */
const maxAbort = "5 seconds"

/**
 * Makes a request for one answer. An interruption aborts the request, and completes only when the promise has settled:
 * no request outlives its effect. A promise that has not settled after 5 seconds is not waited for any longer: what
 * interrupts, such as a timeout or a shutdown, must end.
 */
export const call = <A, E>(request: Request<A>, toError: (cause: unknown) => E): Effect.Effect<A, E> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const settled = request(controller.signal).then(
      (answer) => resume(Effect.succeed(answer)),
      (cause) => resume(Effect.fail(toError(cause)))
    )
    return Effect.promise(() => {
      controller.abort()
      return settled
    }).pipe(
      Effect.interruptible,
      Effect.timeoutOrElse({ duration: maxAbort, orElse: () => Effect.logWarning("aborted request has not ended") })
    )
  })

/** Returns a signal that aborts when the scope closes. */
export const scopedSignal: Effect.Effect<AbortSignal, never, Scope.Scope> = Effect.flatMap(Effect.scope, (scope) => {
  const controller = new AbortController()
  // Not `Effect.acquireRelease`: it copies all services of the caller for the release, some 20 µs with each read.
  const abort = Effect.sync(() => controller.abort())
  return Effect.as(Scope.addFinalizer(scope, abort), controller.signal)
})

/**
 * Makes a request whose answer has a body that is read later. Closing the scope aborts the request and the rest of the
 * body.
 */
export const open = <A, E>(request: Request<A>, toError: (cause: unknown) => E): Effect.Effect<A, E, Scope.Scope> =>
  Effect.flatMap(scopedSignal, (signal) => Effect.tryPromise({ try: () => request(signal), catch: toError }))
