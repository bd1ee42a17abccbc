/**
 * Counts by key, such as what each tenant uses at the moment. A key whose count is 0 takes no memory.
 */
export interface Counts<Key> {
  readonly get: (key: Key) => number
  readonly add: (key: Key, change: 1 | -1) => void
  /** Returns the sum of all counts. */
  readonly total: () => number
}

export const make = <Key>(): Counts<Key> => {
  const counts = new Map<Key, number>()
  let total = 0
  const get = (key: Key): number => counts.get(key) ?? 0
  return {
    get,
    add: (key, change) => {
      total += change
      const count = get(key) + change
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
    total: () => total
  }
}
