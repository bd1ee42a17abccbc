/**
 * The result of a copy, and what it means for the file and for the mirror.
 */
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Exit from "effect/Exit"
import type { BlobError } from "../../../storage/BlobError.ts"
import { MirrorTargetError } from "../../targets/MirrorTargetError.ts"
import type { Progress } from "./FileCopy.ts"
import type { MirrorTask, TaskResult } from "../MirrorTask.ts"
import { backoff, type MirrorWorkerOptions } from "../MirrorWorkerOptions.ts"
import type { StoredMirror } from "../../StoredMirror.ts"

export type Failure = MirrorTargetError | BlobError

export interface CopyResult {
  /** The mirror as it was read before the claim. */
  readonly mirror: StoredMirror
  readonly task: MirrorTask
  readonly progress: Progress
  readonly exit: Exit.Exit<void, Failure>
}

const unreadable = "The content could not be read from the storage of this deployment."
const unrecordable = "The result of the copy could not be recorded."
const unexpected = "An unexpected error occurred during the copy."

/** Returns the error of the file and the error of the mirror as a whole; each is null when there is none. */
const classifyFailure = (
  exit: CopyResult["exit"]
): { readonly file: string | null; readonly mirror: string | null } => {
  if (Exit.isSuccess(exit)) return { file: null, mirror: null }
  const error = Cause.findErrorOption(exit.cause)
  if (error._tag === "None") return { file: unexpected, mirror: null }
  if (!(error.value instanceof MirrorTargetError)) return { file: unreadable, mirror: null }
  const { detail, isOfObject, reason } = error.value
  if (isOfObject) return { file: detail, mirror: null }
  // An `Internal` error may be caused by the file after all. Recorded for the file, too, it keeps that from being the next probe.
  return { file: reason === "Internal" ? detail : null, mirror: detail }
}

/** Whether a copy was interrupted: on shutdown, when its lease was lost, or while it waited for a slot. */
export const isInterrupted = ({ exit }: CopyResult): boolean =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

/** Returns the result that the repository records. */
export const toTaskResult = (
  { exit, progress, task }: CopyResult,
  now: DateTime.Utc,
  options: MirrorWorkerOptions
): TaskResult => ({
  task,
  written: progress.written,
  removed: progress.removed,
  failure: Exit.isSuccess(exit)
    ? null
    : {
        error: classifyFailure(exit).file,
        retryAt: DateTime.addDuration(now, backoff(task.attempts + 1, options))
      }
})

/** Returns what is recorded instead of a result that cannot be recorded. The target may or may not have the object. */
export const toUnrecordable = (task: MirrorTask, now: DateTime.Utc, options: MirrorWorkerOptions): TaskResult => ({
  task,
  written: null,
  removed: [],
  failure: { error: unrecordable, retryAt: DateTime.addDuration(now, backoff(task.attempts + 1, options)) }
})

const byAge = (a: CopyResult, b: CopyResult): number =>
  a.mirror.revision - b.mirror.revision || a.mirror.failures - b.mirror.failures

/**
 * Returns the mirrors that failed as a whole, each once, with the last error. Of several reads of one mirror the latest counts:
 * the repository ignores a failure of an earlier one.
 */
export const failingMirrors = (
  results: ReadonlyArray<CopyResult>
): ReadonlyArray<{ readonly mirror: StoredMirror; readonly detail: string }> => [
  ...new Map(
    results.toSorted(byAge).flatMap(({ exit, mirror }) => {
      const detail = classifyFailure(exit).mirror
      return detail === null ? [] : [[mirror.id, { mirror, detail }] as const]
    })
  ).values()
]

/** Whether the target responded at all: an error of the source says nothing about the target. */
const hasTargetResponded = (exit: CopyResult["exit"]): boolean =>
  Exit.isSuccess(exit) ||
  Cause.findErrorOption(exit.cause).pipe((error) => error._tag === "Some" && error.value instanceof MirrorTargetError)

/** Returns the ids of failing mirrors whose target works again. */
export const recoveredMirrors = (results: ReadonlyArray<CopyResult>): ReadonlyArray<string> =>
  results.flatMap(({ exit, mirror }) =>
    mirror.failure !== null && classifyFailure(exit).mirror === null && hasTargetResponded(exit) ? [mirror.id] : []
  )
