/**
 * Keeps the values that were used last.
 */
import * as Effect from "effect/Effect"

export interface RecentlyUsed<A> {
  /** Returns the value of a key, which `load` makes unless it is kept. */
  readonly get: <E, R>(key: string, load: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Keeps at most `capacity` values. */
export const make = <A>(capacity: number): RecentlyUsed<A> => {
  /** The value that was used last is the last one. */
  const kept = new Map<string, A>()
  const keep = (key: string, value: A): void => {
    kept.delete(key)
    kept.set(key, value)
    for (const oldest of kept.keys()) {
      if (kept.size <= capacity) break
      kept.delete(oldest)
    }
  }
  return {
    get: (key, load) =>
      Effect.suspend(() => {
        const found = kept.get(key)
        if (found === undefined) return Effect.tap(load, (value) => Effect.sync(() => keep(key, value)))
        keep(key, found)
        return Effect.succeed(found)
      })
  }
}
