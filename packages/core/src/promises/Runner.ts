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
import type { Digest } from "effect/crypto/Digest"
import type { Services } from "../Holdfast.ts"
import { Aborted, Closed } from "./DoorErrors.ts"

/** What the door runs on. */
export type DoorServices = Services | Digest

/** What every method takes besides its input. */
export interface CallOptions {
  /** Ends the call early with `Aborted`; what was not acknowledged leaves nothing behind. */
  readonly signal?: AbortSignal | undefined
}

export interface Runner {
  readonly run: <A, E>(effect: Effect.Effect<A, E, DoorServices>, options?: CallOptions) => Promise<A>
  /** For streams that outlive the call that made them. */
  readonly context: () => Promise<Context.Context<DoorServices>>
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

export const make = (runtime: ManagedRuntime.ManagedRuntime<DoorServices, unknown>): Runner => {
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
    context: () => (closing === undefined ? runtime.context() : Promise.reject(new Closed())),
    close: () => (closing ??= runtime.dispose())
  }
}
