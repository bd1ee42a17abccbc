/**
 * Reports whether what was read earlier is what a read would find now: nothing in the database has changed since.
 */
export interface Freshness {
  /** Removes what is kept if anything has changed. To be called before something kept is used. */
  readonly update: () => void
  /**
   * Starts a read whose result is to be kept. The returned function returns whether it may be: it may have been read before a change that is
   * known by now. A change that is not known yet removes it later.
   */
  readonly start: () => () => boolean
}

/**
 * @param version Returns a number that changes with each change of what reads see.
 * @param clear Removes all that is kept.
 */
export const make = (version: () => number, clear: () => void): Freshness => {
  let current = version()
  const update = (): void => {
    const now = version()
    if (now === current) return
    current = now
    clear()
  }
  return {
    update,
    start: () => {
      update()
      const before = current
      return () => current === before
    }
  }
}
