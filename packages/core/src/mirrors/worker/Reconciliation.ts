/**
 * Compares a mirror's target with what was written there.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CopyTarget } from "../targets/CopyTarget.ts"
import type { TargetObject } from "../targets/MirrorTarget.ts"
import type { MirrorTargetError } from "../targets/MirrorTargetError.ts"
import * as TargetCheck from "../targets/TargetCheck.ts"
import { MirrorTaskRepository, type ReconciliationLease } from "./MirrorTaskRepository.ts"
import type { MirrorWorkerOptions } from "./MirrorWorkerOptions.ts"

/** Objects that are compared in one step. */
const batch = 500

/** Prolongs the hold for as long as it runs; ends when it is lost. */
const keep = Effect.fnUntraced(function* (sync: ReconciliationLease, lease: Duration.Duration) {
  const tasks = yield* MirrorTaskRepository
  while (true) {
    yield* Effect.sleep(Duration.times(lease, 1 / 3))
    const until = DateTime.addDuration(yield* DateTime.now, lease)
    const isHeld = yield* tasks
      .renewReconciliation(sync, until)
      .pipe(Effect.catch((error) => Effect.as(Effect.logWarning("Could not renew a comparison", error.reason), true)))
    if (!isHeld) return
  }
})

/** Removes objects that checks have left at the target. */
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
 * One comparison, from taking it to its end. Fails with what the target says; then, and when it is interrupted, the comparison is
 * still wanted. Whether it was this worker's, and complete.
 */
export const run = Effect.fnUntraced(function* (
  sync: ReconciliationLease,
  target: Effect.Effect<CopyTarget, MirrorTargetError, Scope.Scope>,
  options: MirrorWorkerOptions
) {
  const tasks = yield* MirrorTaskRepository
  if (!(yield* tasks.claimReconciliation(sync, DateTime.addDuration(sync.startedAt, options.lease)))) return false
  let isComplete = false
  const compare = Effect.gen(function* () {
    const { hasCheckObject, list, remove } = yield* target
    yield* list.pipe(
      Stream.grouped(batch),
      Stream.runForEach(
        Effect.fnUntraced(function* (objects) {
          yield* tasks.compare(sync, objects, yield* DateTime.now)
          if (hasCheckObject) yield* removeCheckObjects(sync.mirrorId, objects, remove)
        })
      )
    )
    isComplete = true
  })
  yield* Effect.raceFirst(compare, keep(sync, options.lease)).pipe(
    Effect.ensuring(
      Effect.flatMap(DateTime.now, (now) => tasks.completeReconciliation(sync, isComplete, now)).pipe(
        // It ends with its lease, and begins anew.
        Effect.catch((error) => Effect.logWarning("A comparison's end could not be told", error.reason))
      )
    )
  )
  return isComplete
})
