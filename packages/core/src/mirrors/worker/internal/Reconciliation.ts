/**
 * Compares the objects at a mirror's target with those that were written there.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CopyTarget } from "../../targets/CopyTarget.ts"
import type { TargetObject } from "../../targets/MirrorTarget.ts"
import { MirrorTargetError } from "../../targets/MirrorTargetError.ts"
import * as TargetCheck from "../../targets/TargetCheck.ts"
import { paced } from "../../../workers/Pace.ts"
import { MirrorTaskRepository, type ReconciliationLease } from "../MirrorTaskRepository.ts"
import type { MirrorWorkerOptions } from "../MirrorWorkerOptions.ts"

/** Objects that one transaction compares. */
const batchSize = 500

/** How long a target may take for a page: several requests, when some have to be repeated or list nothing. */
const pageLimit = "2 minutes"

/**
 * How long all turns of a reconciliation may take, without the waits between them. A target lists ten million objects in less than two
 * hours at 50 ms per page of 100, and in fourteen at 500 ms.
 */
const totalLimit = Duration.hours(24)

const tooSlow = new MirrorTargetError({
  reason: "Unavailable",
  operation: "list",
  detail: `The target did not list some objects within ${pageLimit}.`
})

const tooLong = new MirrorTargetError({
  reason: "Internal",
  operation: "list",
  detail: `The target did not list all of its objects within ${Duration.toHours(totalLimit)} hours.`
})

/** Renews the lease until it is lost. */
const renewUntilLost = Effect.fnUntraced(function* (reconciliation: ReconciliationLease, lease: Duration.Duration) {
  const tasks = yield* MirrorTaskRepository
  while (true) {
    yield* Effect.sleep(Duration.times(lease, 1 / 3))
    const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
    const isHeld = yield* tasks.renewReconciliation({ reconciliation, leaseUntil }).pipe(
      Effect.catch(({ reason }) =>
        Effect.as(
          Effect.logWarning("lease of mirror reconciliation not renewed; retrying", {
            mirrorId: reconciliation.mirrorId,
            reason
          }),
          true
        )
      )
    )
    if (!isHeld) return
  }
})

/** Removes the objects that checks have left at the target. */
const removeCheckObjects = Effect.fnUntraced(function* (
  mirrorId: string,
  objects: ReadonlyArray<TargetObject>,
  remove: CopyTarget["remove"]
) {
  const names = objects.map(({ name }) => name)
  if (names.includes(TargetCheck.objectName)) yield* remove(TargetCheck.objectName)
  const former = names.filter(TargetCheck.isFormerName)
  if (former.length === 0) return
  const own = new Set(yield* (yield* MirrorTaskRepository).findOwnNames({ mirrorId, names: former }))
  yield* Effect.forEach(
    former.filter((name) => !own.has(name)),
    remove,
    { discard: true }
  )
})

/** Runs one turn of a reconciliation in a slot, for which it may have to wait. */
export type InSlot = <A, E, R>(turn: Effect.Effect<A, E, R>) => Effect.Effect<A, E | MirrorTargetError, R>

/**
 * Claims and runs one reconciliation. Each page of the listing is one turn in a slot: between two turns another reconciliation may
 * have it. Returns whether it was complete: false when another worker has it, or when the lease was lost. Fails with the error of the
 * target. A reconciliation that fails or is interrupted is still requested.
 */
export const run = Effect.fnUntraced(function* (
  reconciliation: ReconciliationLease,
  openTarget: Effect.Effect<CopyTarget, MirrorTargetError, Scope.Scope>,
  { lease }: Pick<MirrorWorkerOptions, "lease">,
  inSlot: InSlot
) {
  const { mirrorId, startedAt } = reconciliation
  const tasks = yield* MirrorTaskRepository
  const leaseUntil = DateTime.addDuration(startedAt, lease)
  if (!(yield* tasks.claimReconciliation({ reconciliation, leaseUntil }))) return false
  let isComplete = false
  const compareAll = Effect.gen(function* () {
    const { hasCheckObject, list, remove } = yield* openTarget
    const compare = Effect.fnUntraced(function* (objects: ReadonlyArray<TargetObject>) {
      yield* paced(tasks.compare({ reconciliation, objects, now: yield* DateTime.now }))
      if (hasCheckObject) yield* removeCheckObjects(mirrorId, objects, remove)
    })
    const pull = Effect.timeoutOrElse(yield* Stream.toPull(list), {
      duration: pageLimit,
      orElse: () => Effect.fail(tooSlow)
    })
    let listed: ReadonlyArray<TargetObject> = []
    let total = 0
    const turn = Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      listed = [...listed, ...(yield* pull)]
      while (listed.length >= batchSize) {
        yield* compare(listed.slice(0, batchSize))
        listed = listed.slice(batchSize)
      }
      total += (yield* Clock.currentTimeMillis) - start
      return total > Duration.toMillis(totalLimit) ? yield* tooLong : true
    })
    while (yield* inSlot(Pull.catchDone(turn, () => Effect.succeed(false))));
    if (listed.length > 0) yield* compare(listed)
    let after: string | null = null
    do {
      const now = yield* DateTime.now
      after = yield* paced(tasks.markMissing({ reconciliation, after, limit: batchSize, now }))
    } while (after !== null)
    isComplete = true
  })
  yield* Effect.raceFirst(compareAll, renewUntilLost(reconciliation, lease)).pipe(
    Effect.ensuring(
      Effect.suspend(() => tasks.completeReconciliation({ reconciliation, isComplete })).pipe(
        Effect.catch(({ reason }) =>
          Effect.logWarning("end of mirror reconciliation not recorded; it restarts when its lease expires", {
            mirrorId,
            reason
          })
        )
      )
    )
  )
  return isComplete
})
