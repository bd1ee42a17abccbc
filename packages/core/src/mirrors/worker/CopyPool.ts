/**
 * Which of the claimed files are copied at once. More are claimed than that, so that a place that is given up is taken at once,
 * without asking the database.
 */
import * as Effect from "effect/Effect"
import type { MirrorWorkerOptions } from "./MirrorWorkerOptions.ts"

/**
 * Who has waited for so long is given up, so that a file is not copied long after it was claimed: its mirror may be paused by now,
 * and another node may have a place.
 */
const patience = "1 second"

interface Place {
  readonly mirrorId: string
  /** Of a mirror in trouble, which nobody else tries meanwhile: it waits for as long as it takes. */
  readonly isProbe: boolean
  isTaken: boolean
  readonly enter: (outcome: Effect.Effect<void>) => void
}

/**
 * Places go first to mirrors that have few. Some are kept for mirrors that have none, so that slow targets never keep a good one
 * waiting for long.
 */
export const make = ({ concurrency, slots }: Pick<MirrorWorkerOptions, "concurrency" | "slots">) => {
  const reserve = Math.floor(concurrency / 4)
  const taken = new Map<string, number>()
  const waiting = new Map<string, Set<Place>>()
  let total = 0

  const of = (mirrorId: string): number => taken.get(mirrorId) ?? 0
  const count = (mirrorId: string, change: number) => {
    total += change
    const now = of(mirrorId) + change
    if (now === 0) taken.delete(mirrorId)
    else taken.set(mirrorId, now)
  }
  const hasRoom = (mirrorId: string): boolean => {
    const mine = of(mirrorId)
    return mine < slots && total < (mine === 0 ? concurrency : concurrency - reserve)
  }

  const wait = (place: Place) => {
    const others = waiting.get(place.mirrorId)
    if (others === undefined) waiting.set(place.mirrorId, new Set([place]))
    else others.add(place)
  }
  /** Whether a place was still waited for. */
  const unwait = (place: Place): boolean => {
    const others = waiting.get(place.mirrorId)
    if (others === undefined || !others.delete(place)) return false
    if (others.size === 0) waiting.delete(place.mirrorId)
    return true
  }

  /** Lets in as many as there is room for. */
  const admit = () => {
    while (true) {
      let next: Place | undefined
      for (const [mirrorId, [first]] of waiting) {
        if (hasRoom(mirrorId) && (next === undefined || of(mirrorId) < of(next.mirrorId))) next = first
      }
      if (next === undefined) return
      unwait(next)
      next.isTaken = true
      count(next.mirrorId, 1)
      next.enter(Effect.void)
    }
  }

  return {
    /** Whether another copy of a mirror could begin now. */
    hasRoom,

    /** Runs an effect once there is a place for it; interrupts itself when there is none in time. */
    within: <A, E, R>(
      { isProbe, mirrorId }: Pick<Place, "isProbe" | "mirrorId">,
      self: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        let place: Place | undefined
        const enter = Effect.callback<void>((resume) => {
          place = { mirrorId, isProbe, isTaken: false, enter: resume }
          wait(place)
          admit()
        })
        const leave = Effect.sync(() => {
          if (place === undefined) return
          unwait(place)
          if (place.isTaken) count(mirrorId, -1)
          admit()
        })
        const inTime = isProbe
          ? enter
          : Effect.timeoutOrElse(enter, { duration: patience, orElse: () => Effect.interrupt })
        return inTime.pipe(Effect.andThen(self), Effect.ensuring(leave))
      }),

    /** Interrupts those of a mirror that wait. */
    dismiss: (mirrorId: string): void => {
      for (const place of waiting.get(mirrorId) ?? []) {
        if (!place.isProbe && unwait(place)) place.enter(Effect.interrupt)
      }
    }
  }
}
