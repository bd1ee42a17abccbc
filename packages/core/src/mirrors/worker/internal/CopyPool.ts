/**
 * The slots in which copies run, shared fairly by tenants. More tasks are claimed than there are slots, so that the next copy
 * begins as soon as a slot is free, without a round trip to the database.
 */
import * as Effect from "effect/Effect"
import * as Counts from "../../../Counts.ts"
import type { StoredMirror } from "../../StoredMirror.ts"
import type { MirrorWorkerOptions } from "../MirrorWorkerOptions.ts"

/**
 * How long a copy waits for a slot. Then its task is released: by then its mirror may be paused, or another node may have a free
 * slot.
 */
const maxWait = "1 second"

/**
 * How many slots a tenant may have for each slot that is free. A tenant alone gets three quarters of the slots, however many
 * mirrors it has; the rest is divided among other tenants in the same way, so that the last slots are for tenants with none.
 */
const slotsPerFreeSlot = 3

/** The mirror of a copy. */
export type Owner = Pick<StoredMirror, "id" | "tenantId">

/** A copy that waits for a slot or has one. */
interface Copy {
  readonly mirror: Owner
  /** Whether it probes a failing mirror. No other copy of that mirror runs meanwhile, so it waits for a slot without limit. */
  readonly isProbe: boolean
  hasSlot: boolean
  /** Ends the waiting with an effect: the copy proceeds, or is interrupted. */
  readonly resume: (outcome: Effect.Effect<void>) => void
}

/** A free slot goes to the waiting tenant that has the fewest slots, and to its mirror that has the fewest. */
export const make = ({ concurrency, slotsPerMirror }: Pick<MirrorWorkerOptions, "concurrency" | "slotsPerMirror">) => {
  const byTenant = Counts.make<string>()
  const byMirror = Counts.make<string>()
  const waiting = new Map<string, Set<Copy>>()

  const addUsed = ({ id, tenantId }: Owner, change: 1 | -1) => {
    byTenant.add(tenantId, change)
    byMirror.add(id, change)
  }

  const hasFreeSlot = ({ id, tenantId }: Owner): boolean =>
    byMirror.get(id) < slotsPerMirror && byTenant.get(tenantId) < slotsPerFreeSlot * (concurrency - byTenant.total())

  const enqueue = (copy: Copy) => {
    const others = waiting.get(copy.mirror.id)
    if (others === undefined) waiting.set(copy.mirror.id, new Set([copy]))
    else others.add(copy)
  }

  /** Returns whether the copy was still waiting. */
  const dequeue = (copy: Copy): boolean => {
    const others = waiting.get(copy.mirror.id)
    if (others === undefined || !others.delete(copy)) return false
    if (others.size === 0) waiting.delete(copy.mirror.id)
    return true
  }

  /** Of mirrors with equally many slots, the one that got a slot the longest ago is next. */
  const moveToEnd = (mirrorId: string) => {
    const others = waiting.get(mirrorId)
    if (others === undefined) return
    waiting.delete(mirrorId)
    waiting.set(mirrorId, others)
  }

  const hasFewerSlots = (a: Owner, b: Owner): boolean =>
    (byTenant.get(a.tenantId) - byTenant.get(b.tenantId) || byMirror.get(a.id) - byMirror.get(b.id)) < 0

  /** Gives free slots to copies that wait. */
  const assignSlots = () => {
    while (true) {
      let next: Copy | undefined
      for (const [, [first]] of waiting) {
        if (first === undefined || !hasFreeSlot(first.mirror)) continue
        if (next === undefined || hasFewerSlots(first.mirror, next.mirror)) next = first
      }
      if (next === undefined) return
      dequeue(next)
      moveToEnd(next.mirror.id)
      next.hasSlot = true
      addUsed(next.mirror, 1)
      next.resume(Effect.void)
    }
  }

  return {
    /** Whether another copy of a mirror could begin now. */
    hasFreeSlot,

    /** Runs an effect once there is a slot for it. Interrupts itself when there is none within `maxWait`. */
    run: <A, E, R>(
      { isProbe, mirror }: Pick<Copy, "isProbe" | "mirror">,
      self: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        let copy: Copy | undefined
        const acquire = Effect.callback<void>((resume) => {
          copy = { mirror, isProbe, hasSlot: false, resume }
          enqueue(copy)
          assignSlots()
        })
        const release = Effect.sync(() => {
          if (copy === undefined) return
          dequeue(copy)
          if (copy.hasSlot) addUsed(mirror, -1)
          assignSlots()
        })
        const acquireInTime = isProbe
          ? acquire
          : Effect.timeoutOrElse(acquire, { duration: maxWait, orElse: () => Effect.interrupt })
        return acquireInTime.pipe(Effect.andThen(self), Effect.ensuring(release))
      }),

    /** Interrupts the copies of a mirror that wait for a slot, except probes. */
    interruptWaiting: (mirrorId: string): void => {
      for (const copy of waiting.get(mirrorId) ?? []) {
        if (!copy.isProbe && dequeue(copy)) copy.resume(Effect.interrupt)
      }
    }
  }
}
