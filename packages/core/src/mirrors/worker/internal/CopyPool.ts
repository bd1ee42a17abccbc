/**
 * The slots in which copies run. More tasks are claimed than there are slots, so that the next copy begins as soon as a slot is
 * free, without a round trip to the database.
 */
import * as Effect from "effect/Effect"
import type { MirrorWorkerOptions } from "../MirrorWorkerOptions.ts"

/**
 * How long a copy waits for a slot. Then its task is released: by then its mirror may be paused, or another node may have a free
 * slot.
 */
const maxWait = "1 second"

/** A copy that waits for a slot or has one. */
interface Copy {
  readonly mirrorId: string
  /** Whether it probes a failing mirror. No other copy of that mirror runs meanwhile, so it waits for a slot without limit. */
  readonly isProbe: boolean
  hasSlot: boolean
  /** Ends the waiting with an effect: the copy proceeds, or is interrupted. */
  readonly resume: (outcome: Effect.Effect<void>) => void
}

/**
 * A free slot goes to the waiting mirror that has the fewest slots. A quarter of the slots is reserved for mirrors that have
 * none, so that slow targets do not keep a fast one waiting.
 */
export const make = ({ concurrency, slotsPerMirror }: Pick<MirrorWorkerOptions, "concurrency" | "slotsPerMirror">) => {
  const reserved = Math.floor(concurrency / 4)
  const used = new Map<string, number>()
  const waiting = new Map<string, Set<Copy>>()
  let totalUsed = 0

  const usedBy = (mirrorId: string): number => used.get(mirrorId) ?? 0

  const addUsed = (mirrorId: string, change: number) => {
    totalUsed += change
    const slots = usedBy(mirrorId) + change
    if (slots === 0) used.delete(mirrorId)
    else used.set(mirrorId, slots)
  }

  const hasFreeSlot = (mirrorId: string): boolean => {
    const slots = usedBy(mirrorId)
    return slots < slotsPerMirror && totalUsed < (slots === 0 ? concurrency : concurrency - reserved)
  }

  const enqueue = (copy: Copy) => {
    const others = waiting.get(copy.mirrorId)
    if (others === undefined) waiting.set(copy.mirrorId, new Set([copy]))
    else others.add(copy)
  }

  /** Returns whether the copy was still waiting. */
  const dequeue = (copy: Copy): boolean => {
    const others = waiting.get(copy.mirrorId)
    if (others === undefined || !others.delete(copy)) return false
    if (others.size === 0) waiting.delete(copy.mirrorId)
    return true
  }

  /** Gives free slots to copies that wait. */
  const assignSlots = () => {
    while (true) {
      let next: Copy | undefined
      for (const [mirrorId, [first]] of waiting) {
        if (hasFreeSlot(mirrorId) && (next === undefined || usedBy(mirrorId) < usedBy(next.mirrorId))) next = first
      }
      if (next === undefined) return
      dequeue(next)
      next.hasSlot = true
      addUsed(next.mirrorId, 1)
      next.resume(Effect.void)
    }
  }

  return {
    /** Whether another copy of a mirror could begin now. */
    hasFreeSlot,

    /** Runs an effect once there is a slot for it. Interrupts itself when there is none within `maxWait`. */
    run: <A, E, R>(
      { isProbe, mirrorId }: Pick<Copy, "isProbe" | "mirrorId">,
      self: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        let copy: Copy | undefined
        const acquire = Effect.callback<void>((resume) => {
          copy = { mirrorId, isProbe, hasSlot: false, resume }
          enqueue(copy)
          assignSlots()
        })
        const release = Effect.sync(() => {
          if (copy === undefined) return
          dequeue(copy)
          if (copy.hasSlot) addUsed(mirrorId, -1)
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
