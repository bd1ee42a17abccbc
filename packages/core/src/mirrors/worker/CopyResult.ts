/**
 * What the end of a copy means for the file, and for the mirror.
 */
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import type { BlobError } from "../../storage/BlobError.ts"
import type { Progress } from "./FileCopy.ts"
import { MirrorTargetError } from "../targets/MirrorTargetError.ts"
import type { MirrorTask, TaskResult } from "./MirrorTask.ts"
import { type MirrorWorkerOptions, waitAfter } from "./MirrorWorkerOptions.ts"
import type { StoredMirror } from "../StoredMirror.ts"

export type Failure = MirrorTargetError | BlobError

export interface End {
  readonly mirror: StoredMirror
  readonly task: MirrorTask
  readonly progress: Progress
  readonly exit: Exit.Exit<void, Failure>
}

const unreadable = "The content could not be read here."
const broken = "The copy failed for a reason that is neither the file's nor the target's."

/** What is wrong with the file, and what with the mirror. */
const blame = (exit: End["exit"]): { readonly file: string | null; readonly mirror: string | null } => {
  if (Exit.isSuccess(exit)) return { file: null, mirror: null }
  const error = Cause.findErrorOption(exit.cause)
  if (error._tag === "None") return { file: broken, mirror: null }
  if (!(error.value instanceof MirrorTargetError)) return { file: unreadable, mirror: null }
  const { detail, isOfObject, reason } = error.value
  if (isOfObject) return { file: detail, mirror: null }
  // A failure that nobody understands may be the file's after all: it must not be the next one to be tried, too.
  return { file: reason === "Internal" ? detail : null, mirror: detail }
}

/** What is told to the repository. */
export const of = ({ exit, progress, task }: End, now: DateTime.Utc, options: MirrorWorkerOptions): TaskResult => ({
  task,
  written: progress.written,
  removed: progress.removed,
  failure: Exit.isSuccess(exit)
    ? null
    : {
        error: blame(exit).file,
        retryAt: DateTime.addDuration(now, waitAfter(task.attempts + 1, options))
      }
})

/** How long a mirror that failed waits. */
export const waitOf = (mirror: StoredMirror, options: MirrorWorkerOptions): Duration.Duration =>
  waitAfter(mirror.failures + 1, options)

const byAge = (a: End, b: End): number => a.mirror.revision - b.mirror.revision || a.mirror.failures - b.mirror.failures

/** Mirrors that failed as a whole, each once, as it was read last: a failure of one that was read before counts no more. */
export const troubled = (ends: ReadonlyArray<End>) =>
  new Map(
    ends.toSorted(byAge).flatMap(({ exit, mirror }) => {
      const detail = blame(exit).mirror
      return detail === null ? [] : [[mirror.id, { mirror, detail }] as const]
    })
  ).values()

/** Mirrors in trouble whose target did what it was told. */
export const recovered = (ends: ReadonlyArray<End>): ReadonlyArray<string> =>
  ends.flatMap(({ exit, mirror }) =>
    mirror.trouble !== null && blame(exit).mirror === null && isTargets(exit) ? [mirror.id] : []
  )

/** Whether the target has answered at all: a source that cannot be read tells nothing of it. */
const isTargets = (exit: End["exit"]): boolean =>
  Exit.isSuccess(exit) ||
  Cause.findErrorOption(exit.cause).pipe((error) => error._tag === "Some" && error.value instanceof MirrorTargetError)
