/**
 * What a worker is given to do for one file of a mirror, and what it tells afterwards.
 */
import type * as DateTime from "effect/DateTime"
import type { MirroredFile } from "../targets/MirroredFile.ts"
import type { WriteReceipt } from "../targets/MirrorTarget.ts"

/** A worker's hold on a file of a mirror. */
export interface TaskLease {
  readonly mirrorId: string
  readonly fileId: string
  /** Of one claim alone. */
  readonly lease: string
}

/** Brings the target to what one file is now. */
export interface MirrorTask extends TaskLease {
  /** The change up to which the target will have been brought. */
  readonly wanted: number
  /** Tries that have failed since the file was last copied. */
  readonly attempts: number
  /** The file to write, and its object's name, which is this task's alone until it is settled. Null: there is none. */
  readonly write: {
    readonly file: MirroredFile
    readonly name: string
    /** Whether an object of this name and these bytes is known to stand at the target. */
    readonly hasBytes: boolean
  } | null
  /** Objects to remove, which are this task's alone until it is settled. */
  readonly remove: ReadonlyArray<string>
}

/** An object as the target told of it. */
export interface WrittenObject extends WriteReceipt {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** What became of a task. */
export interface TaskResult {
  readonly task: MirrorTask
  /** What was done, also where the task as a whole failed. */
  readonly written: WrittenObject | null
  readonly removed: ReadonlyArray<string>
  /** Null when the target is what the file was at the claim. */
  readonly failure: {
    /** What is wrong with this file; null when it is the mirror as a whole that failed. */
    readonly error: string | null
    readonly retryAt: DateTime.Utc
  } | null
}
