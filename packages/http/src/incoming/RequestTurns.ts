/**
 * Divides the time of the event loop between tenants. Node passes on every request that has arrived before it turns to anything
 * else. So the request of one tenant would wait for those of all connections of another: 64 ms for 64 requests of a millisecond.
 *
 * A turn of the event loop has a budget, which the work of earlier requests uses first: the results of their statements, and the
 * chunks of their contents. Requests start at once while some of the budget is left. The others are queued by owner: a tenant, or
 * for requests that name none a client. In each further turn one request of each owner starts, in rotation, and more while some
 * of the budget is left. So the event loop has as many requests at once as it completes in a few short turns. If all of them
 * started, each turn would take as long as the work of all, and every request takes several turns.
 */
import * as OwnerQueues from "./OwnerQueues.ts"

export interface RequestTurns {
  /** Whether a request may start at once; `at` is the time of the monotonic clock. If not, it must be enqueued. */
  readonly mayStart: (at: number) => boolean
  /** Starts a request in one of the next turns, after the requests of its owner that are queued already. */
  readonly enqueue: (owner: string, start: () => void) => void
}

/** Milliseconds. A turn without work takes some 20 microseconds. */
const budget = 2

const tenantInPath = /\/tenants\/([^/?#]{1,64})/

/** Returns the owner of a request: the tenant that its URL names, or else its client. */
export const ownerOf = (url: string, remoteAddress: string | undefined): string =>
  tenantInPath.exec(url)?.[1] ?? remoteAddress ?? ""

/** @param now Returns the time of the monotonic clock in milliseconds. */
export const make = (now: () => number = () => performance.now()): RequestTurns => {
  const queues = OwnerQueues.make<() => void>()
  /** When the budget of this turn is used. */
  let turnEnds = 0
  /** Whether `nextTurn` runs in the next turn of the event loop. */
  let isScheduled = false

  /** Starts queued requests: one of each owner within the budget, and others within the time that earlier work left of it. */
  const startQueued = (began: number, left: number): void => {
    let owners = queues.owners()
    for (let start = queues.take(); start !== undefined; start = queues.take()) {
      start()
      owners--
      if (now() - began >= (owners > 0 ? budget : left)) return
    }
  }

  const beginTurn = (at: number): void => {
    turnEnds = at + budget
    isScheduled = true
    // Node calls it once in each turn, and does not wait for events before.
    setImmediate(nextTurn)
  }

  const nextTurn = (): void => {
    if (queues.owners() === 0) {
      isScheduled = false
      return
    }
    const at = now()
    startQueued(at, turnEnds - at)
    beginTurn(now())
  }

  return {
    mayStart: (at) => {
      if (!isScheduled) beginTurn(at)
      return queues.owners() === 0 && at < turnEnds
    },
    enqueue: queues.add
  }
}
