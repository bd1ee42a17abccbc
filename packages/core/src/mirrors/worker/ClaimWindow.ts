/**
 * How fast mirrors are copied: a worker claims ahead as many files of one as it copies in a moment. So places never wait for the
 * database where files are small, and where they are large none is claimed long before its copy begins.
 */

/** Milliseconds. */
const moment = 250

/** However fast a mirror is. */
const most = 64

/** More mirrors than this are never kept. */
const capacity = 1000

interface Pace {
  since: number
  /** Copies that ended since then, and in the moment before. */
  count: number
  before: number
}

export const make = () => {
  const paces = new Map<string, Pace>()

  const isOver = ({ since }: Pace, now: number, moments: number): boolean => now - since >= moments * moment

  return {
    /** A file of a mirror has been copied. */
    count: (mirrorId: string, now: number): void => {
      const pace = paces.get(mirrorId)
      if (pace === undefined) {
        if (paces.size >= capacity) paces.clear()
        paces.set(mirrorId, { since: now, count: 1, before: 0 })
      } else if (isOver(pace, now, 1)) {
        paces.set(mirrorId, { since: now, count: 1, before: isOver(pace, now, 2) ? 0 : pace.count })
      } else pace.count++
    },

    /** How many files of a mirror to claim beyond those that there are places for. */
    ahead: (mirrorId: string, now: number): number => {
      const pace = paces.get(mirrorId)
      return pace === undefined || isOver(pace, now, 2) ? 0 : Math.min(most, Math.max(pace.count, pace.before))
    }
  }
}
