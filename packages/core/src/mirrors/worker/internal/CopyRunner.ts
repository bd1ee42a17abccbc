/**
 * Runs the copies of claimed tasks: starts each in a slot, renews the leases meanwhile, and records the results.
 *
 * Every copy puts its result into one queue when it ends, also when it failed or was interrupted. One loop reads the queue, and
 * records the results in batches.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import type * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as ClaimWindow from "./ClaimWindow.ts"
import * as CompletionBatcher from "./CompletionBatcher.ts"
import * as CopyPool from "./CopyPool.ts"
import * as CopyResult from "./CopyResult.ts"
import type { Progress } from "./FileCopy.ts"
import { MetadataError } from "../../../MetadataError.ts"
import type { MirrorTask } from "../MirrorTask.ts"
import { MirrorTaskRepository } from "../MirrorTaskRepository.ts"
import { backoff, type MirrorWorkerOptions } from "../MirrorWorkerOptions.ts"
import type { StoredMirror } from "../../StoredMirror.ts"
import * as TaskLeases from "./TaskLeases.ts"

/** Opens `wake` when there may be more to claim: after a copy, where a slot is free, and after results are recorded. */
export const make = Effect.fnUntraced(function* (options: MirrorWorkerOptions, wake: Latch.Latch) {
  const tasks = yield* MirrorTaskRepository
  const pool = CopyPool.make(options)
  const window = ClaimWindow.make()
  const leases = yield* TaskLeases.make(options)
  const completions = yield* CompletionBatcher.make
  /** Copies that run or wait for a slot, by mirror. */
  const active = new Map<string, number>()

  const activeCopies = (mirrorId: string): number => active.get(mirrorId) ?? 0

  const addActive = (mirrorId: string, change: number) => {
    const copies = activeCopies(mirrorId) + change
    if (copies === 0) active.delete(mirrorId)
    else active.set(mirrorId, copies)
  }

  /** Records results. Can be repeated after an error: skips the tasks whose end is recorded. */
  const record = Effect.fnUntraced(function* (results: ReadonlyArray<CopyResult.CopyResult>) {
    const now = yield* DateTime.now
    const open = results.filter(({ task }) => leases.has(task))
    const interrupted = open.filter(CopyResult.isInterrupted)
    const completed = open.filter((result) => !CopyResult.isInterrupted(result))
    if (interrupted.length > 0) yield* tasks.abandon({ tasks: interrupted.map(({ task }) => task), now })
    for (const { task } of interrupted) leases.remove(task)
    if (completed.length > 0) {
      yield* tasks.complete({ results: completed.map((one) => CopyResult.toTaskResult(one, now, options)), now })
    }
    for (const { task } of completed) leases.remove(task)
    for (const { detail, mirror } of CopyResult.failingMirrors(results)) {
      const retryAt = DateTime.addDuration(now, backoff(mirror.failures + 1, options))
      yield* tasks.fail({ mirror, detail, retryAt, now })
      pool.interruptWaiting(mirror.id)
    }
    for (const mirrorId of CopyResult.recoveredMirrors(results)) yield* tasks.recover({ mirrorId, now })
  })

  /**
   * Gives up a result that cannot be recorded. Records a failure without the values of the result: an abandoned task would be due,
   * and its file copied again, at once.
   */
  const giveUp = Effect.fnUntraced(function* ({ mirror, task }: CopyResult.CopyResult, { reason }: MetadataError) {
    const { fileId, mirrorId } = task
    yield* Effect.logError("mirror task result cannot be recorded; the file is copied again", {
      tenantId: mirror.tenantId,
      mirrorId,
      fileId,
      reason
    })
    const now = yield* DateTime.now
    yield* tasks
      .complete({ results: [CopyResult.toUnrecordable(task, now, options)], now })
      .pipe(
        Effect.catch(({ reason }) =>
          Effect.logWarning("mirror task not released; its lease will expire", { mirrorId, fileId, reason })
        )
      )
    leases.remove(task)
  })

  /**
   * Retries until the results are recorded, or an error shows that they cannot be. The leases may expire meanwhile: the repository
   * then abandons the tasks.
   */
  const recordWithRetries = (results: ReadonlyArray<CopyResult.CopyResult>) =>
    record(results).pipe(
      // A defect would end the loop that records the results of all tenants.
      Effect.catchDefect((cause) =>
        Effect.fail(new MetadataError({ reason: "Internal", operation: "mirrors.complete", cause }))
      ),
      Effect.tapError(({ reason }) => Effect.logWarning("mirror task results not recorded", { reason })),
      Effect.retry({ while: ({ reason }) => reason !== "Internal", schedule: Schedule.spaced("1 second") })
    )

  /** Records results of any tenants. One that cannot be recorded does not prevent the others. */
  const recordAll = (results: ReadonlyArray<CopyResult.CopyResult>) =>
    Effect.catch(recordWithRetries(results), () =>
      Effect.forEach(results, (result) => Effect.catch(recordWithRetries([result]), (error) => giveUp(result, error)), {
        discard: true
      })
    )

  // On shutdown, after the copies have been interrupted: their results are in the queue by then. A batch that was being recorded
  // is abandoned.
  yield* Effect.addFinalizer(() =>
    completions.takeAll.pipe(
      Effect.flatMap(record),
      Effect.catch(({ reason }) =>
        Effect.logWarning("mirror task results not recorded on shutdown; their tasks are repeated", { reason })
      ),
      Effect.andThen(leases.abandonAll)
    )
  )
  const copies = yield* FiberMap.make<string>()

  yield* completions.takeBatch.pipe(
    Effect.flatMap(recordAll),
    Effect.andThen(wake.open),
    Effect.forever,
    Effect.forkScoped
  )

  /** Interrupts the copies whose lease was lost. Their results abandon their tasks. */
  const renewLeases = Effect.map(leases.renew, (lost) => {
    for (const task of lost) {
      const copy = FiberMap.getUnsafe(copies, TaskLeases.keyOf(task))
      // Not waited for: the other leases have to be renewed in time.
      if (Option.isSome(copy)) copy.value.interruptUnsafe()
    }
  })
  yield* renewLeases.pipe(
    Effect.catch(({ reason }) => Effect.logWarning("leases of mirror tasks not renewed; retrying", { reason })),
    Effect.delay(Duration.times(options.lease, 1 / 3)),
    Effect.forever,
    Effect.forkScoped
  )

  const finish = Effect.fnUntraced(function* (result: CopyResult.CopyResult) {
    const { exit, mirror } = result
    addActive(mirror.id, -1)
    if (Exit.isSuccess(exit)) window.count(mirror.id, yield* Clock.currentTimeMillis)
    // A failure may have to stop further copies, and the last result has nothing to wait for.
    yield* completions.offer(result, Exit.isFailure(exit) || active.size === 0)
    if (activeCopies(mirror.id) < options.slotsPerMirror) yield* wake.open
  })

  return {
    /** Whether another copy of a mirror could begin now (milliseconds). */
    hasFreeSlot: pool.hasFreeSlot,

    /** Returns how many copies of a mirror run or wait for a slot. */
    activeCopies,

    /** Returns how many tasks of a mirror to claim beyond the free slots. */
    claimWindow: window.size,

    /** Starts the copy of a claimed task. The caller must not be interrupted between the claim and this call. */
    start: <R>(
      mirror: StoredMirror,
      task: MirrorTask,
      copy: (progress: Progress, report: CopyPool.Report) => Effect.Effect<void, CopyResult.Failure, R>
    ) => {
      const progress: Progress = { written: null, removed: [] }
      leases.add(task)
      addActive(mirror.id, 1)
      return FiberMap.run(
        copies,
        TaskLeases.keyOf(task),
        pool
          .run({ mirror, isProbe: mirror.failure !== null }, (report) => copy(progress, report))
          .pipe(
            Effect.interruptible,
            Effect.onExit((exit) => finish({ mirror, task, progress, exit })),
            // The result has the failure.
            Effect.ignoreCause
          )
      )
    }
  }
})
