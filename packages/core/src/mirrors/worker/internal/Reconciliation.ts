/**
 * Compares the objects at a mirror's target with those that were written there.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CopyTarget } from "../../targets/CopyTarget.ts"
import type { TargetObject } from "../../targets/MirrorTarget.ts"
import type { MirrorTargetError } from "../../targets/MirrorTargetError.ts"
import * as TargetCheck from "../../targets/TargetCheck.ts"
import { paced } from "../../../workers/Pace.ts"
import { MirrorTaskRepository, type ReconciliationLease } from "../MirrorTaskRepository.ts"
import type { MirrorWorkerOptions } from "../MirrorWorkerOptions.ts"

/** Objects that one transaction compares. */
const batchSize = 500

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

/**
 * Claims and runs one reconciliation. Returns whether it was complete: false when another worker has it, or when the lease was
 * lost. Fails with the error of the target. A reconciliation that fails or is interrupted is still requested.
 */
export const run = Effect.fnUntraced(function* (
  reconciliation: ReconciliationLease,
  openTarget: Effect.Effect<CopyTarget, MirrorTargetError, Scope.Scope>,
  { lease }: Pick<MirrorWorkerOptions, "lease">
) {
  const { mirrorId, startedAt } = reconciliation
  const tasks = yield* MirrorTaskRepository
  const leaseUntil = DateTime.addDuration(startedAt, lease)
  if (!(yield* tasks.claimReconciliation({ reconciliation, leaseUntil }))) return false
  let isComplete = false
  const compareAll = Effect.gen(function* () {
    const { hasCheckObject, list, remove } = yield* openTarget
    yield* list.pipe(
      Stream.grouped(batchSize),
      Stream.runForEach(
        Effect.fnUntraced(function* (objects) {
          yield* tasks.compare({ reconciliation, objects, now: yield* DateTime.now })
          if (hasCheckObject) yield* removeCheckObjects(mirrorId, objects, remove)
        })
      )
    )
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
