/**
 * Decides which conversions of this process run, so that the tenants take turns.
 *
 * A run keeps its slot for a slice. After that it is suspended as soon as a conversion of a tenant without a slot waits: a
 * queued one, or one that is suspended itself. Whichever waits longest goes first. A tenant that has had a slot since then
 * waits behind the others, so that a tenant with many conversions gets no more turns than one with a single conversion.
 *
 * Ladders run only in slots that no conversion needs: one is suspended as soon as a conversion waits, of its own tenant, too, and another
 * is claimed only when none is suspended.
 *
 * Times are epoch milliseconds.
 */

/** A conversion that this process has claimed. */
export interface Run {
  readonly tenantId: string
  /** Whether it makes the ladder of a copy. */
  readonly isLadder: boolean
  isSuspended: boolean
  /** Since when it has its slot, or since when it is suspended. */
  since: number
}

/** Which queued conversions may be claimed. */
export interface Queued {
  readonly dueBy: number
  readonly exceptTenants: ReadonlyArray<string>
  /** Whether a ladder may be claimed if there is no conversion. */
  readonly ladders: boolean
}

/** What to do: suspend `suspend`, and run a queued conversion that `queued` permits; if there is none, resume `resume`. */
export interface Turn<R extends Run> {
  readonly suspend: R | undefined
  readonly queued: Queued | undefined
  readonly resume: R | undefined
}

export interface Options {
  readonly slots: number
  /** Milliseconds. */
  readonly slice: number
  readonly maxSuspended: number
}

export interface Turns<R extends Run> {
  /** Adds a run, which has a slot. */
  readonly add: (run: R) => void
  /** Removes a run that has ended. */
  readonly remove: (run: R, now: number) => void
  readonly suspend: (run: R, now: number) => void
  readonly resume: (run: R, now: number) => void
  /** Returns the next turn; undefined if there is nothing to do until a run ends or its slice is over. */
  readonly next: (now: number) => Turn<R> | undefined
}

const byAge = <R extends Run>(runs: Iterable<R>): ReadonlyArray<R> => [...runs].toSorted((a, b) => a.since - b.since)

export const make = <R extends Run>({ maxSuspended, slice, slots }: Options): Turns<R> => {
  const runs = new Set<R>()
  /** When a tenant last gave back a slot. Only of tenants that had one since the oldest suspended run was suspended. */
  const served = new Map<string, number>()

  const giveBack = ({ isLadder, tenantId }: R, now: number) => {
    if (isLadder) return
    served.set(tenantId, now)
    const oldest = Math.min(...[...runs].flatMap(({ isSuspended, since }) => (isSuspended ? [since] : [])))
    for (const [id, at] of served) if (at < oldest) served.delete(id)
  }

  /** Queued conversions whose turn comes before that of a suspended run. */
  const queuedBefore = (
    suspended: ReadonlyArray<R>,
    next: R | undefined,
    now: number,
    others: ReadonlyArray<string>
  ): Queued => {
    const dueBy = next?.since ?? now
    const servedSince = next === undefined ? [] : [...served].flatMap(([id, at]) => (at >= next.since ? [id] : []))
    const tenants = [...others, ...servedSince, ...suspended.map(({ tenantId }) => tenantId)]
    return { dueBy, exceptTenants: [...new Set(tenants)], ladders: false }
  }

  return {
    add: (run) => void runs.add(run),
    remove: (run, now) => {
      runs.delete(run)
      if (!run.isSuspended) giveBack(run, now)
    },
    suspend: (run, now) => {
      run.isSuspended = true
      run.since = now
      giveBack(run, now)
    },
    resume: (run, now) => {
      run.isSuspended = false
      run.since = now
    },
    next: (now) => {
      const running = byAge([...runs].filter(({ isSuspended }) => !isSuspended))
      const allSuspended = byAge([...runs].filter(({ isSuspended }) => isSuspended))
      const suspended = allSuspended.filter(({ isLadder }) => !isLadder)
      const servedNow = running.map(({ tenantId }) => tenantId)
      if (running.length < slots) {
        const [resume] = suspended
        if (resume === undefined) {
          const ladder = allSuspended[0]
          const queued = { dueBy: now, exceptTenants: [], ladders: ladder === undefined }
          return { suspend: undefined, queued, resume: ladder }
        }
        const others = resume === undefined ? [] : servedNow
        return { suspend: undefined, queued: queuedBefore(suspended, resume, now, others), resume }
      }
      const ladder = running.findLast(({ isLadder }) => isLadder)
      if (ladder !== undefined) {
        const [resume] = suspended
        return { suspend: ladder, queued: queuedBefore(suspended, resume, now, []), resume }
      }
      const [oldest] = running
      if (oldest === undefined || now - oldest.since < slice) return undefined
      const resume = suspended.find(({ tenantId }) => !servedNow.includes(tenantId))
      const mayAdd = suspended.length < maxSuspended
      if (!mayAdd && resume === undefined) return undefined
      return { suspend: oldest, queued: mayAdd ? queuedBefore(suspended, resume, now, servedNow) : undefined, resume }
    }
  }
}
