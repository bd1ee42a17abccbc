/**
 * The slots in which copies run, shared fairly by tenants. More tasks are claimed than there are slots, so that the next copy
 * begins as soon as a slot is free, without a round trip to the database.
 *
 * Targets that do not respond may have all slots. A tenant without a slot then takes the one of such a copy, so that its copies begin
 * within seconds whatever the targets of other tenants do. A target that has responded keeps the slot, however slow it is.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Counts from "../../../Counts.ts"
import type { StoredMirror } from "../../StoredMirror.ts"
import { MirrorTargetError } from "../../targets/MirrorTargetError.ts"
import * as SlowTargets from "./SlowTargets.ts"
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

/**
 * How long a target may take to respond until a tenant without a slot may take the slot of the copy, in milliseconds. `suspect`: the
 * target of a mirror that has not copied a file since this process started or since it failed, or of a tenant that had a slow one
 * recently. `trusted`: any other.
 */
const responseLimits = { suspect: 5000, trusted: 30_000 }

/** The slowest line to a target that keeps its slots, in bytes per millisecond: 512 KiB per second. */
const slowestRate = 512 * 1.024

/** The bytes that clients of targets collect before they send them: a target that has got more has responded. */
const maxCollected = 32 * 1024 ** 2

const stalled = new MirrorTargetError({
  reason: "Unavailable",
  operation: "write",
  detail: `The target did not respond within ${responseLimits.suspect / 1000} seconds while other copies waited.`
})

/** The mirror of a copy. */
export type Owner = Pick<StoredMirror, "id" | "tenantId">

/** A copy that waits for a slot or has one. */
interface Copy {
  readonly mirror: Owner
  /** Whether it probes a failing mirror. No other copy of that mirror runs meanwhile, so it waits for a slot without limit. */
  readonly isProbe: boolean
  hasSlot: boolean
  /** Since when the target has to respond, in milliseconds; undefined when it has responded, and for a copy without a slot. */
  requestedAt: number | undefined
  /** Bytes that were sent to the target since then. */
  sentBytes: number
  /** The tenant for which the copy loses its slot. */
  takenFor: string | undefined
  /** Ends the copy when it has lost its slot. */
  readonly lost: Deferred.Deferred<never, MirrorTargetError>
  /** Ends the waiting with an effect: the copy proceeds, or is interrupted. */
  resume: (outcome: Effect.Effect<void>) => void
}

/** What a copy reports of its target. */
export interface Report {
  /** So many bytes, or a request without a body, are sent to the target. */
  readonly sent: (bytes: number) => void
  /** The target has responded. */
  readonly responded: () => void
}

/** A free slot goes to the waiting tenant that has the fewest slots, and to its mirror that has the fewest. */
export const make = ({ concurrency, slotsPerMirror }: Pick<MirrorWorkerOptions, "concurrency" | "slotsPerMirror">) => {
  const byTenant = Counts.make<string>()
  const byMirror = Counts.make<string>()
  const waiting = new Map<string, Set<Copy>>()
  const running = new Set<Copy>()
  const slow = SlowTargets.make()

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

  /** Whether a mirror waits until no other one does: its tenant had a slow target, and its own has not responded yet. */
  const isLast = ({ id, tenantId }: Owner, now: number): boolean =>
    slow.isTenantSlow(tenantId, now) && !slow.isTrusted(id)

  /** Whether a waiting copy gets a free slot before another one. */
  const isBefore = (a: Owner, b: Owner, now: number): boolean => {
    const [first, second] = [isLast(a, now), isLast(b, now)]
    return first === second ? hasFewerSlots(a, b) : second
  }

  /** Gives free slots to copies that wait. */
  const assignSlots = (now: number) => {
    while (true) {
      let next: Copy | undefined
      for (const [, [first]] of waiting) {
        if (first === undefined || !hasFreeSlot(first.mirror)) continue
        if (next === undefined || isBefore(first.mirror, next.mirror, now)) next = first
      }
      if (next === undefined) return
      dequeue(next)
      moveToEnd(next.mirror.id)
      next.hasSlot = true
      next.requestedAt = now
      running.add(next)
      addUsed(next.mirror, 1)
      next.resume(Effect.void)
    }
  }

  const isSuspect = ({ id, tenantId }: Owner, now: number): boolean =>
    !slow.isTrusted(id) || slow.isTenantSlow(tenantId, now)

  /** Whether the slot of a copy may be taken. The last slot of a tenant whose targets respond may not. */
  const hasStalled = ({ mirror, requestedAt, sentBytes, takenFor }: Copy, now: number): boolean => {
    if (requestedAt === undefined || takenFor !== undefined || sentBytes > maxCollected) return false
    const waited = now - requestedAt - sentBytes / slowestRate
    return isSuspect(mirror, now)
      ? waited >= responseLimits.suspect
      : waited >= responseLimits.trusted && byTenant.get(mirror.tenantId) > 1
  }

  /** Whether the slot of a copy is taken before that of another: first those of suspects, then those of tenants with many. */
  const isTakenBefore = (a: Copy, b: Copy, now: number): boolean => {
    const [first, second] = [isSuspect(a.mirror, now), isSuspect(b.mirror, now)]
    if (first !== second) return first
    const [slots, others] = [byTenant.get(a.mirror.tenantId), byTenant.get(b.mirror.tenantId)]
    // Of the copies of one tenant, the one that began last has the least to repeat.
    return slots === others ? (a.requestedAt ?? 0) > (b.requestedAt ?? 0) : slots > others
  }

  /**
   * Finds the copy whose slot a mirror may take when its tenant has none. Returns undefined when the mirror waits until no other one
   * does, and while a slot that its tenant has taken is not free yet.
   */
  const findStalled = (mirror: Owner, now: number): Copy | undefined => {
    if (byTenant.get(mirror.tenantId) > 0 || isLast(mirror, now)) return undefined
    let found: Copy | undefined
    for (const copy of running) {
      if (copy.takenFor === mirror.tenantId) return undefined
      if (hasStalled(copy, now) && (found === undefined || isTakenBefore(copy, found, now))) found = copy
    }
    return found
  }

  /** Takes a slot for a copy that waits. The copy of a trusted mirror is repeated; any other fails, so that its mirror waits. */
  const takeSlot = ({ hasSlot, mirror }: Copy, now: number) => {
    const taken = hasSlot ? undefined : findStalled(mirror, now)
    if (taken === undefined) return
    taken.takenFor = mirror.tenantId
    Deferred.doneUnsafe(taken.lost, slow.isTrusted(taken.mirror.id) ? Exit.interrupt() : Exit.fail(stalled))
  }

  /** Records what the end of a copy says about its target. */
  const recordEnd = ({ mirror, requestedAt }: Copy, exit: Exit.Exit<unknown, unknown>, now: number) => {
    if (Exit.isSuccess(exit)) return slow.trust(mirror.id)
    const error = Exit.findErrorOption(exit)
    if (error._tag === "None" || !(error.value instanceof MirrorTargetError) || error.value.isOfObject) return
    slow.distrust(mirror.id)
    if (now - (requestedAt ?? now) >= responseLimits.suspect) slow.addSlowTenant(mirror.tenantId, now)
  }

  return {
    /** Whether another copy of a mirror could begin now (milliseconds): also in the slot of one whose target does not respond. */
    hasFreeSlot: (mirror: Owner, now: number): boolean => hasFreeSlot(mirror) || findStalled(mirror, now) !== undefined,

    /**
     * Runs an effect once there is a slot for it. Interrupts itself when there is none within `maxWait`. While the target of the effect
     * does not respond, as it reports, the effect may lose its slot: then it is interrupted, and fails or interrupts itself.
     */
    run: <A, E, R>(
      { isProbe, mirror }: Pick<Copy, "isProbe" | "mirror">,
      self: (report: Report) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | MirrorTargetError, R> =>
      Effect.clockWith((clock) => {
        const now = () => clock.currentTimeMillisUnsafe()
        const copy: Copy = {
          mirror,
          isProbe,
          hasSlot: false,
          requestedAt: undefined,
          sentBytes: 0,
          takenFor: undefined,
          lost: Deferred.makeUnsafe(),
          resume: () => undefined
        }
        const acquire = Effect.callback<void>((resume) => {
          copy.resume = resume
          enqueue(copy)
          assignSlots(now())
          takeSlot(copy, now())
        })
        const takeLater = Effect.delay(
          Effect.sync(() => takeSlot(copy, now())),
          maxWait
        )
        const release = (exit: Exit.Exit<A, E | MirrorTargetError>) =>
          Effect.sync(() => {
            dequeue(copy)
            if (copy.hasSlot) {
              running.delete(copy)
              addUsed(mirror, -1)
              recordEnd(copy, exit, now())
            }
            assignSlots(now())
          })
        const report: Report = {
          sent: (bytes) => {
            copy.requestedAt ??= now()
            copy.sentBytes += bytes
          },
          responded: () => {
            copy.requestedAt = undefined
            copy.sentBytes = 0
          }
        }
        const acquireInTime = isProbe
          ? Effect.raceFirst(acquire, Effect.forever(takeLater))
          : Effect.timeoutOrElse(acquire, { duration: maxWait, orElse: () => Effect.interrupt })
        return acquireInTime.pipe(
          Effect.andThen(
            Effect.raceFirst(
              Effect.suspend(() => self(report)),
              Deferred.await(copy.lost)
            )
          ),
          Effect.onExit(release)
        )
      }),

    /** Interrupts the copies of a mirror that wait for a slot, except probes. */
    interruptWaiting: (mirrorId: string): void => {
      for (const copy of waiting.get(mirrorId) ?? []) {
        if (!copy.isProbe && dequeue(copy)) copy.resume(Effect.interrupt)
      }
    }
  }
}
