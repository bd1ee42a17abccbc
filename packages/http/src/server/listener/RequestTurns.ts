/**
 * Divides the time of the event loop between tenants. Node passes on every request that has arrived before it turns to anything
 * else. So the request of one tenant would wait for those of all connections of another: 64 ms for 64 requests of a millisecond.
 *
 * Requests start at once until they have taken `budget` milliseconds of a turn of the event loop. The others are queued by owner:
 * a tenant, or for requests that name none a client. In each further turn the owners start one request after the other, in
 * rotation, for as long.
 */

export interface RequestTurns {
  /** Whether a request may start at once; `at` is the time of the monotonic clock. If not, it must be enqueued. */
  readonly mayStart: (at: number) => boolean
  /** Starts a request in one of the next turns, after the requests of its owner that are queued already. */
  readonly enqueue: (owner: string, start: () => void) => void
}

/** Milliseconds. */
const budget = 5

const tenantInPath = /\/tenants\/([^/?#]{1,64})/

/** Returns the owner of a request: the tenant that its URL names, or else its client. */
export const ownerOf = (url: string, remoteAddress: string | undefined): string =>
  tenantInPath.exec(url)?.[1] ?? remoteAddress ?? ""

/** @param now Returns the time of the monotonic clock in milliseconds. */
export const make = (now: () => number = () => performance.now()): RequestTurns => {
  /** In the order in which the owners have their turn. No queue is empty. */
  const queues = new Map<string, Set<() => void>>()
  /** When the requests of this turn will have taken their time; undefined before the first one. */
  let turnEnds: number | undefined

  const startNext = ([owner, queue]: [string, Set<() => void>]): void => {
    queues.delete(owner)
    const [start] = queue
    if (start === undefined) return
    queue.delete(start)
    if (queue.size > 0) queues.set(owner, queue)
    start()
  }

  const nextTurn = (): void => {
    turnEnds = undefined
    if (queues.size === 0) return
    const end = beginTurn(now())
    for (const next of queues) {
      startNext(next)
      if (now() >= end) return
    }
  }

  const beginTurn = (at: number): number => {
    setImmediate(nextTurn)
    return (turnEnds = at + budget)
  }

  return {
    mayStart: (at) => at < (turnEnds ?? beginTurn(at)) && queues.size === 0,
    enqueue: (owner, start) => {
      const queue = queues.get(owner)
      if (queue === undefined) queues.set(owner, new Set([start]))
      else queue.add(start)
    }
  }
}
