/**
 * Calls the hooks that run after changes, at least once for each change, also after a crash.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { asBackgroundWork, repeatStep } from "../../BackgroundWork.ts"
import { type CompletedChange, FileHooks, hookedActions } from "./FileHooks.ts"
import { type HookTask, HookTaskRepository } from "./HookTaskRepository.ts"

/** How many calls run at once. */
const concurrency = 16
/** How often the worker looks for tasks. */
const pollInterval = Duration.millis(500)
/** Beyond the timeout of a call, at least, until its task is recorded. */
const leaseMargin = Duration.seconds(1)
const maxBackoff = Duration.toMillis("1 hour")

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null)

const toChange = (
  { actor, at, detail, id, tenantId }: HookTask,
  bucketId: string,
  fileId: string,
  name: string
): CompletedChange => ({
  id,
  at,
  tenantId,
  bucketId,
  fileId,
  path: name.slice(0, name.lastIndexOf("/") + 1),
  name: name.slice(name.lastIndexOf("/") + 1),
  version: numberOf(detail["version"]),
  size: numberOf(detail["size"]),
  actor
})

const make = Effect.gen(function* () {
  const hooks = yield* FileHooks
  if (hookedActions(hooks).size === 0) return
  const tasks = yield* HookTaskRepository
  const timeout = Duration.fromInputUnsafe(hooks.timeout ?? "1 minute")
  const lease = Duration.sum(timeout, Duration.max(timeout, leaseMargin))

  const callsOf = ({ action, detail }: HookTask) => {
    if (action === "file.deleted") return [hooks.onDelete?.after]
    // The reservation of a file has no content.
    if (numberOf(detail["size"]) === null) return []
    const replaces = action === "content.replaced" && (numberOf(detail["version"]) ?? 0) > 1
    return [hooks.onUpload?.after, replaces ? hooks.onReplace?.after : undefined]
  }

  const run = (task: HookTask) => {
    const { bucketId, fileId, name } = task
    const calls =
      bucketId === null || fileId === null || name === null
        ? Effect.void
        : Effect.forEach(callsOf(task), (after) => after?.(toChange(task, bucketId, fileId, name)) ?? Effect.void, {
            discard: true
          })
    return calls.pipe(
      Effect.timeout(timeout),
      Effect.matchCauseEffect({
        onSuccess: () => tasks.complete([task.id]),
        onFailure: (cause) =>
          Effect.gen(function* () {
            const backoff = Math.min(maxBackoff, 1000 * 2 ** Math.min(task.attempts, 20))
            const dueAt = DateTime.addDuration(yield* DateTime.now, Duration.millis(backoff))
            yield* Effect.logWarning("hook after a change failed; it is retried", cause).pipe(
              Effect.annotateLogs({ eventId: task.id, action: task.action, attempts: task.attempts })
            )
            yield* tasks.retry({ id: task.id, dueAt })
          })
      })
    )
  }

  const names = { worker: "hook worker", failure: "tasks of hooks not recorded; they are retried" }
  const scope = yield* Effect.scope
  const slots = Semaphore.makeUnsafe(concurrency)
  let running = 0

  /** Starts the call of a claimed task. The worker does not wait for its end: a slow call must not delay those for other changes. */
  const start = (task: HookTask) => {
    const end = Effect.suspend(() => {
      running--
      return slots.release(1)
    })
    const call = run(task).pipe(
      Effect.catch(({ reason }) => Effect.annotateLogs(Effect.logWarning(names.failure), { reason })),
      Effect.ensuring(end)
    )
    running++
    return Effect.andThen(slots.take(1), Effect.forkIn(call, scope))
  }

  const step = Effect.gen(function* () {
    // Waits while all slots are taken.
    yield* slots.withPermit(Effect.void)
    const now = yield* DateTime.now
    const limit = concurrency - running
    const claimed = yield* tasks.claim({ limit, now, leaseUntil: DateTime.addDuration(now, lease) })
    yield* Effect.forEach(claimed, start, { discard: true })
    return claimed.length > 0
  })
  yield* Effect.forkScoped(asBackgroundWork(repeatStep(step, Effect.sleep(pollInterval), names)))
})

/** Runs while the layer is open, if there are such hooks. */
export const layer: Layer.Layer<never, never, HookTaskRepository> = Layer.effectDiscard(make)
