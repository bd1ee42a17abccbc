/**
 * Loads the SDK of a cloud when it is first needed: most services use none.
 */
import * as Effect from "effect/Effect"
import { importInSteps, type Options } from "./ImportInSteps.ts"

export interface Sdk<A> {
  /** Returns the SDK. Loads it in one turn of the event loop, which takes 60 to 500 ms. */
  readonly atOnce: Effect.Effect<A>
  /** Returns the SDK. Loads it over many turns of the event loop, for a process that answers requests meanwhile. */
  readonly inSteps: Effect.Effect<A>
}

/** Makes the effects that load an SDK. Nothing is loaded before one of them runs. */
export const make = <A>(options: Options<A>): Sdk<A> => {
  let loading: Promise<A> | undefined
  return {
    atOnce: Effect.promise(options.load),
    inSteps: Effect.promise(() => (loading ??= importInSteps(options)))
  }
}
