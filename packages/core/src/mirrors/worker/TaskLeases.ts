/**
 * The files that a worker holds: their leases are prolonged, their ends told in groups, and what is left when the worker is shut
 * down is given back at once.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import type { Progress } from "./FileCopy.ts"
import * as CompletionBatcher from "./CompletionBatcher.ts"
import * as CopyPool from "./CopyPool.ts"
import type * as CopyResult from "./CopyResult.ts"
import * as ClaimWindow from "./ClaimWindow.ts"
import type { TaskLease, MirrorTask } from "./MirrorTask.ts"
import { MirrorTaskRepository } from "./MirrorTaskRepository.ts"
import type { MirrorWorkerOptions } from "./MirrorWorkerOptions.ts"
import type { StoredMirror } from "../StoredMirror.ts"

interface Held {
  readonly task: MirrorTask
  isRunning: boolean
}

const keyOf = ({ fileId, lease, mirrorId }: TaskLease) => `${mirrorId} ${fileId} ${lease}`

/** `onChange` runs when a place has become free that nobody waits for, and when the ends of copies have been told. */
export const make = Effect.fnUntraced(function* (options: MirrorWorkerOptions, onChange: Effect.Effect<void>) {
  const tasks = yield* MirrorTaskRepository
  const held = new Map<string, Held>()
  const gate = CopyPool.make(options)
  const pace = ClaimWindow.make()

  /** How many copies run or wait for a place: of one mirror, or of all. */
  const running = (mirrorId?: string): number => {
    let count = 0
    for (const { isRunning, task } of held.values()) {
      if (isRunning && (mirrorId === undefined || task.mirrorId === mirrorId)) count++
    }
    return count
  }

  /** What was held, and is not told of: at the end of the worker, or when it was lost. */
  const doubt = (some: ReadonlyArray<MirrorTask>) =>
    Effect.flatMap(DateTime.now, (now) => tasks.abandon(some, now)).pipe(
      // Their leases end, and whoever claims them knows no more than this.
      Effect.catch((error) => Effect.logWarning("Files of mirrors could not be given back", error.reason))
    )

  // When the scope closes: first the copies end, then their ends are told, and then what is left is given back.
  yield* Effect.addFinalizer(() => (held.size > 0 ? doubt(Array.from(held.values(), ({ task }) => task)) : Effect.void))
  const ends = yield* CompletionBatcher.make(options, {
    told: (some) => {
      for (const { task } of some) held.delete(keyOf(task))
    },
    troubled: gate.dismiss,
    done: onChange
  })
  const fibers = yield* FiberMap.make<string>()
  yield* Effect.forkScoped(ends.run)

  const renew = Effect.gen(function* () {
    const before = [...held]
    if (before.length === 0) return
    const until = DateTime.addDuration(yield* DateTime.now, options.lease)
    const standing = yield* tasks.renew(
      before.map(([, { task }]) => task),
      until
    )
    const keys = new Set(standing.map(keyOf))
    for (const [key, { isRunning, task }] of before) {
      // What has ended meanwhile is told of in its own way.
      if (keys.has(key) || !isRunning || !held.delete(key)) continue
      yield* FiberMap.remove(fibers, key)
      yield* doubt([task])
    }
  })
  yield* renew.pipe(
    Effect.catch((error) => Effect.logWarning("Could not prolong the leases of copies", error.reason)),
    Effect.delay(Duration.times(options.lease, 1 / 3)),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    hasRoom: gate.hasRoom,

    /** How many copies of a mirror run or wait for a place. */
    running: (mirrorId: string): number => running(mirrorId),

    /** As `MirrorPace` has it. */
    ahead: pace.ahead,

    /** Runs the copy of a file that was claimed, once there is a place; not to be interrupted between the claim and this. */
    run: <R>(
      mirror: StoredMirror,
      task: MirrorTask,
      work: (progress: Progress) => Effect.Effect<void, CopyResult.Failure, R>
    ) => {
      const key = keyOf(task)
      const entry: Held = { task, isRunning: true }
      const progress: Progress = { written: null, removed: [] }
      held.set(key, entry)
      const told = Effect.onExit(
        Effect.interruptible(gate.within({ mirrorId: mirror.id, isProbe: mirror.trouble !== null }, work(progress))),
        (exit) =>
          Effect.gen(function* () {
            entry.isRunning = false
            if (Exit.isSuccess(exit)) pace.count(mirror.id, yield* Clock.currentTimeMillis)
            const isUrgent = Exit.isFailure(exit) || running() === 0
            // One that was lost is gone from here.
            if (held.has(key)) yield* ends.offer({ mirror, task, progress, exit }, isUrgent)
            if (running(mirror.id) < options.slots) yield* onChange
          })
      )
      return FiberMap.run(
        fibers,
        key,
        Effect.catchCause(told, () => Effect.void)
      )
    }
  }
})
