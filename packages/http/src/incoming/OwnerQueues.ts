/**
 * Queues of owners, from which the owners take turns.
 */

export interface OwnerQueues<A> {
  /** Owners that have something in their queues. */
  readonly owners: () => number
  /** Adds something behind what its owner has queued already. */
  readonly add: (owner: string, item: A) => void
  /** Removes something, if it is queued. */
  readonly remove: (owner: string, item: A) => void
  /** Takes the oldest item of the owner whose turn it is; undefined when nothing is queued. Then it is the turn of the others. */
  readonly take: () => A | undefined
}

/** Makes empty queues. No item may be undefined, or be added twice. */
export const make = <A>(): OwnerQueues<A> => {
  /** In the order in which the owners have their turn. No queue is empty. */
  const queues = new Map<string, Set<A>>()
  return {
    owners: () => queues.size,
    add: (owner, item) => {
      const queue = queues.get(owner)
      if (queue === undefined) queues.set(owner, new Set([item]))
      else queue.add(item)
    },
    remove: (owner, item) => {
      const queue = queues.get(owner)
      queue?.delete(item)
      if (queue?.size === 0) queues.delete(owner)
    },
    take: () => {
      for (const [owner, queue] of queues) {
        queues.delete(owner)
        const [item] = queue
        if (item !== undefined) queue.delete(item)
        if (queue.size > 0) queues.set(owner, queue)
        return item
      }
      return undefined
    }
  }
}
