/**
 * Spreads what aborted requests cause over several turns of the event loop. When a thousand connections of one tenant end at once,
 * Node reports all of them in one turn. If the request of each were ended there, with its transaction and its files, all other
 * requests would wait for half a second.
 */

export interface Aborts {
  /** Runs a function in one of the next turns, after those that are queued already. */
  readonly enqueue: (run: () => unknown) => void
}

/** Milliseconds of a turn. */
const budget = 2

/** @param now Returns the time of the monotonic clock in milliseconds. */
export const make = (now: () => number = () => performance.now()): Aborts => {
  const queue = new Set<() => unknown>()
  let isScheduled = false

  const schedule = (): void => {
    isScheduled = true
    setImmediate(runTurn)
  }

  const runTurn = (): void => {
    isScheduled = false
    const end = now() + budget
    try {
      for (const run of queue) {
        queue.delete(run)
        run()
        if (now() >= end) return
      }
    } finally {
      if (queue.size > 0 && !isScheduled) schedule()
    }
  }

  return {
    enqueue: (run) => {
      queue.add(run)
      if (!isScheduled) schedule()
    }
  }
}

/** Those of this process, which has one event loop for all its servers. */
export const ofProcess: Aborts = make()
