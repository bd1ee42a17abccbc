/**
 * Runs effects with the same key one after the other, inside this process.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

interface Entry {
  readonly semaphore: Semaphore.Semaphore
  users: number
}

/** Returns a function that runs an effect when no earlier one with its key runs. */
export const make = () => {
  const entries = new Map<string, Entry>()
  return (key: string) => {
    const acquire = Effect.sync(() => {
      const entry = entries.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      entry.users++
      entries.set(key, entry)
      return entry
    })
    const release = (entry: Entry) =>
      Effect.sync(() => {
        if (--entry.users === 0) entries.delete(key)
      })
    return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(acquire, ({ semaphore }) => semaphore.withPermits(1)(self), release)
  }
}
