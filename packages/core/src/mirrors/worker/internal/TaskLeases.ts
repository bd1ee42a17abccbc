/**
 * The leases that a worker has on tasks. A task stays here until the end of its lease is recorded.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { MirrorTask, TaskLease } from "../MirrorTask.ts"
import { MirrorTaskRepository } from "../MirrorTaskRepository.ts"
import type { MirrorWorkerOptions } from "../MirrorWorkerOptions.ts"

interface Held {
  readonly task: MirrorTask
  /** Whether another worker may have claimed the task since. */
  isLost: boolean
}

/** Returns a text that is unique to a lease. */
export const keyOf = ({ fileId, lease, mirrorId }: TaskLease): string => `${mirrorId} ${fileId} ${lease}`

export const make = Effect.fnUntraced(function* ({ lease }: Pick<MirrorWorkerOptions, "lease">) {
  const tasks = yield* MirrorTaskRepository
  const held = new Map<string, Held>()

  return {
    add: (task: MirrorTask): void => void held.set(keyOf(task), { task, isLost: false }),

    has: (task: TaskLease): boolean => held.has(keyOf(task)),

    remove: (task: TaskLease): void => void held.delete(keyOf(task)),

    /** Renews all leases. Returns the tasks whose lease was found to be lost. */
    renew: Effect.gen(function* () {
      const before = [...held.values()].filter(({ isLost }) => !isLost)
      if (before.length === 0) return []
      const now = yield* DateTime.now
      const leaseUntil = DateTime.addDuration(now, lease)
      const renewed = yield* tasks.renew({ leases: before.map(({ task }) => task), leaseUntil, now })
      const keys = new Set(renewed.map(keyOf))
      const lost = before.filter(({ task }) => !keys.has(keyOf(task)))
      for (const one of lost) one.isLost = true
      return lost.map(({ task }) => task)
    }),

    /** Abandons all tasks, so that another worker can claim them at once. */
    abandonAll: Effect.suspend(() => {
      const rest = Array.from(held.values(), ({ task }) => task)
      held.clear()
      return rest.length === 0
        ? Effect.void
        : Effect.flatMap(DateTime.now, (now) => tasks.abandon({ tasks: rest, now })).pipe(
            Effect.catch(({ reason }) =>
              Effect.logWarning("mirror tasks not released; their leases will expire", { tasks: rest.length, reason })
            )
          )
    })
  }
})
