/**
 * How many tasks of each mirror a worker claims beyond its free slots: as many as it copied in the last quarter of a second. So no
 * slot waits for the database where files are small, and where files are large no task is claimed long before its copy begins.
 */

/** The length of an interval in which copies are counted, in milliseconds. */
const interval = 250

/** The largest number of tasks to claim ahead. */
const maxAhead = 64

/** The most mirrors that are remembered, so that memory is bounded. */
const capacity = 1000

interface Counts {
  /** When the current interval began. */
  since: number
  /** Copies in the current interval. */
  current: number
  /** Copies in the interval before. */
  previous: number
}

export const make = () => {
  const mirrors = new Map<string, Counts>()

  const hasElapsed = ({ since }: Counts, now: number, intervals: number): boolean => now - since >= intervals * interval

  return {
    /** Counts a copy that succeeded. `now` is in epoch milliseconds. */
    count: (mirrorId: string, now: number): void => {
      const counts = mirrors.get(mirrorId)
      if (counts === undefined) {
        if (mirrors.size >= capacity) mirrors.clear()
        mirrors.set(mirrorId, { since: now, current: 1, previous: 0 })
      } else if (hasElapsed(counts, now, 1)) {
        mirrors.set(mirrorId, { since: now, current: 1, previous: hasElapsed(counts, now, 2) ? 0 : counts.current })
      } else counts.current++
    },

    /** Returns how many tasks of a mirror to claim beyond the free slots. `now` is in epoch milliseconds. */
    size: (mirrorId: string, now: number): number => {
      const counts = mirrors.get(mirrorId)
      return counts === undefined || hasElapsed(counts, now, 2)
        ? 0
        : Math.min(maxAhead, Math.max(counts.current, counts.previous))
    }
  }
}
