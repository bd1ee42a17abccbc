/**
 * Passes `HookNesting` from a hook to the calls of the Promise API that it makes: they run in fibers of their own.
 */
import * as Effect from "effect/Effect"
import * as BuiltinModule from "../../deployment/BuiltinModule.ts"
import { HookNesting } from "../../files/hooks/internal/HookNesting.ts"

interface Storage {
  readonly run: <A>(nesting: HookNesting, within: () => A) => A
  readonly getStore: () => HookNesting | undefined
}

/** Made with the first call of a hook: programs without hooks do not pay for it. */
let storage: Storage | undefined

const open = (): Storage => {
  if (storage !== undefined) return storage
  const { AsyncLocalStorage } = BuiltinModule.get<{ readonly AsyncLocalStorage: new () => Storage }>("node:async_hooks")
  return (storage = new AsyncLocalStorage())
}

/** Runs a function of a hook within these hooks, with what it waits for. */
export const within = <A>(nesting: HookNesting, hook: () => A): A => open().run(nesting, hook)

/** Runs an effect within the hooks that the caller runs in. */
export const inherit = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const nesting = storage?.getStore()
  return nesting === undefined ? effect : Effect.provideService(effect, HookNesting, nesting)
}
