/**
 * The files that a worker holds: their leases are prolonged, their ends told in groups, and what is left when the worker is shut
 * down is given back at once.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type { Progress } from "./MirrorCopy.ts"
import * as MirrorGate from "./MirrorGate.ts"
import * as MirrorOutcome from "./MirrorOutcome.ts"
import * as MirrorPace from "./MirrorPace.ts"
import type { Hold, MirrorTask } from "./MirrorTask.ts"
import { MirrorTaskRepository } from "./MirrorTaskRepository.ts"
import type { MirrorWorkerOptions } from "./MirrorWorkerOptions.ts"
import type { StoredMirror } from "./StoredMirror.ts"

interface Held {
  readonly task: MirrorTask
  isRunning: boolean
}

/** Ends that are this close to each other are told together, unless one failed, or nothing runs any more. */
const grouping = "100 millis"

const keyOf = ({ fileId, lease, mirrorId }: Hold) => `${mirrorId} ${fileId} ${lease}`

const isInterrupted = ({ exit }: MirrorOutcome.End): boolean =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

/** `onChange` runs when a place has become free that nobody waits for, and when the ends of copies have been told. */
export const make = Effect.fnUntraced(function* (options: MirrorWorkerOptions, onChange: Effect.Effect<void>) {
  const tasks = yield* MirrorTaskRepository
  const held = new Map<string, Held>()
  const ends = yield* Queue.unbounded<MirrorOutcome.End>()
  const gate = MirrorGate.make(options)
  const pace = MirrorPace.make()
  /** Open when the ends of copies should be told at once. */
  const hurry = Latch.makeUnsafe(false)

  /** How many copies run or wait for a place: of one mirror, or of all. */
  const running = (mirrorId?: string): number => {
    let count = 0
    for (const { isRunning, task } of held.values()) {
      if (isRunning && (mirrorId === undefined || task.mirrorId === mirrorId)) count++
    }
    return count
  }

  const settle = Effect.fnUntraced(function* (some: ReadonlyArray<MirrorOutcome.End>) {
    const now = yield* DateTime.now
    const cut = some.filter(isInterrupted)
    const whole = some.filter((end) => !isInterrupted(end))
    if (cut.length > 0)
      yield* tasks.doubt(
        cut.map(({ task }) => task),
        now
      )
    if (whole.length > 0)
      yield* tasks.settle(
        whole.map((end) => MirrorOutcome.of(end, now, options)),
        now
      )
    for (const { task } of some) held.delete(keyOf(task))
    for (const { detail, mirror } of MirrorOutcome.troubled(whole)) {
      yield* tasks.fail(mirror, detail, now, DateTime.addDuration(now, MirrorOutcome.waitOf(mirror, options)))
      gate.dismiss(mirror.id)
    }
    for (const mirrorId of MirrorOutcome.recovered(whole)) yield* tasks.recover(mirrorId, now)
  })

  /** What was held, and is not told of: at the end of the worker, or when it was lost. */
  const doubt = (some: ReadonlyArray<MirrorTask>) =>
    Effect.flatMap(DateTime.now, (now) => tasks.doubt(some, now)).pipe(
      // Their leases end, and whoever claims them knows no more than this.
      Effect.catch((error) => Effect.logWarning("Files of mirrors could not be given back", error.reason))
    )

  // Before the fibers, so that it runs when they have ended.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const left = yield* Queue.clear(ends)
      yield* Effect.catch(settle(left), (error) =>
        Effect.logWarning("The ends of some copies could not be told", error.reason)
      )
      if (held.size > 0) yield* doubt(Array.from(held.values(), ({ task }) => task))
    })
  )
  const fibers = yield* FiberMap.make<string>()

  yield* Queue.peek(ends).pipe(
    Effect.andThen(Effect.raceFirst(Effect.sleep(grouping), hurry.await)),
    Effect.andThen(hurry.close),
    Effect.andThen(Queue.takeAll(ends)),
    Effect.flatMap((some) =>
      settle(some).pipe(
        Effect.tapError((error) => Effect.logWarning("The ends of copies could not be told yet", error.reason)),
        // What is told too late was lost with its lease, and is treated so.
        Effect.retry(Schedule.spaced("1 second"))
      )
    ),
    Effect.andThen(onChange),
    Effect.forever,
    Effect.forkScoped
  )

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

    ahead: pace.ahead,

    /** Runs the copy of a file that was claimed, once there is a place; not to be interrupted between the claim and this. */
    run: <R>(
      mirror: StoredMirror,
      task: MirrorTask,
      work: (progress: Progress) => Effect.Effect<void, MirrorOutcome.Failure, R>
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
            // One that was lost is gone from here.
            if (held.has(key)) yield* Queue.offer(ends, { mirror, task, progress, exit })
            if (Exit.isFailure(exit) || running() === 0) yield* hurry.open
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
