/**
 * Runs effects for promises. A typed error is a rejection with the same class, an aborted signal one with `Aborted`. No
 * rejection is left unhandled.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { InvalidRequest } from "../Errors.ts"
import type * as Scope from "effect/Scope"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { Health } from "../deployment/Health.ts"
import type { Services } from "../Holdfast.ts"
import type { QueueDepthMetrics } from "../metrics/QueueDepthMetrics.ts"
import type { CallOptions } from "./Operations.ts"
import * as HookCalls from "./internal/HookCalls.ts"
import { keepAlive } from "./internal/ProcessLife.ts"
import { Aborted, Closed } from "./internal/PromiseApiErrors.ts"

/** The services that the methods of the Promise API and mounts use. */
export type PromiseApiServices = Services | Digest | SecureRandom | Health | QueueDepthMetrics

/** The result of an effect that has waited for nothing. */
export interface Done<A> {
  readonly value: A
}

export interface PromiseRuntime {
  /**
   * Runs an effect. Returns its result, or throws its error, if the effect waits for nothing: no timer has to keep the process alive
   * then. Otherwise returns a promise. The error is `Closed` after `close`, also when the effect was running then, and `Aborted`
   * when the signal fires.
   */
  readonly run: <A, E>(effect: Effect.Effect<A, E, PromiseApiServices>, options?: CallOptions) => Done<A> | Promise<A>
  readonly services: Context.Context<PromiseApiServices>
  /** Is closed before the services are. */
  readonly scope: Scope.Scope
  readonly isClosed: () => boolean
  /** Interrupts all running effects, then closes the services. Idempotent. */
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

/** Returns the value of a successful effect; throws the error of any other one. */
const valueOf = <A, E>(exit: Exit.Exit<A, E>, signal: AbortSignal | undefined): A => {
  if (Exit.isSuccess(exit)) return exit.value
  if (!Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
  throwIfAborted(signal)
  throw new Closed()
}

const untilExit = <A, E>(fiber: Fiber.Fiber<A, E>): Promise<Exit.Exit<A, E>> =>
  new Promise((resolve) => fiber.addObserver(resolve))

/** Returns the runtime over a managed one that has built `services`. */
export const make = (
  runtime: ManagedRuntime.ManagedRuntime<PromiseApiServices, unknown>,
  services: Context.Context<PromiseApiServices>
): PromiseRuntime => {
  let closing: Promise<void> | undefined

  const run: PromiseRuntime["run"] = (effect, options) => {
    if (closing !== undefined) throw new Closed()
    const signal = checkSignal(options)
    throwIfAborted(signal)
    const fiber = runtime.runFork(HookCalls.inherit(effect), signal === undefined ? {} : { signal })
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return { value: valueOf(exit, signal) }
    return keepAlive(untilExit(fiber)).then((exit) => valueOf(exit, signal))
  }

  return {
    run,
    services,
    scope: runtime.scope,
    isClosed: () => closing !== undefined,
    close: () => (closing ??= keepAlive(runtime.dispose()))
  }
}
