/**
 * From effects to promises: typed errors are rejections of the same class, an aborted signal is `Aborted`, and nothing
 * is ever an unhandled rejection.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { InvalidRequest } from "../Errors.ts"
import type * as Scope from "effect/Scope"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { Services } from "../Holdfast.ts"
import { Aborted, Closed } from "./PromiseApiErrors.ts"

/** What the door runs on. */
export type PromiseApiServices = Services | Digest | SecureRandom

/** What every method takes besides its input. */
export interface CallOptions {
  /** Ends the call early with `Aborted`; what was not acknowledged leaves nothing behind. */
  readonly signal?: AbortSignal | undefined
}

export interface Runner {
  readonly run: <A, E>(effect: Effect.Effect<A, E, PromiseApiServices>, options?: CallOptions) => Promise<A>
  readonly services: Context.Context<PromiseApiServices>
  /** Closed before the services are. */
  readonly scope: Scope.Scope
  readonly isClosed: () => boolean
  readonly close: () => Promise<void>
}

const checkSignal = (options: CallOptions | undefined): AbortSignal | undefined => {
  const signal: unknown = options?.signal
  if (signal === undefined || signal instanceof AbortSignal) return signal
  throw InvalidRequest.at("/signal", "must be an AbortSignal")
}

const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted) throw new Aborted({ cause: signal.reason })
}

/** `services` are those that the runtime has built. */
export const make = (
  runtime: ManagedRuntime.ManagedRuntime<PromiseApiServices, unknown>,
  services: Context.Context<PromiseApiServices>
): Runner => {
  let closing: Promise<void> | undefined

  const run: Runner["run"] = async (effect, options) => {
    if (closing !== undefined) throw new Closed()
    const signal = checkSignal(options)
    throwIfAborted(signal)
    const exit = await runtime.runPromiseExit(effect, signal === undefined ? {} : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.hasInterruptsOnly(exit.cause)) {
      throwIfAborted(signal)
      throw new Closed()
    }
    throw Cause.squash(exit.cause)
  }

  return {
    run,
    services,
    scope: runtime.scope,
    isClosed: () => closing !== undefined,
    close: () => (closing ??= runtime.dispose())
  }
}
