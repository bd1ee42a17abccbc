/**
 * The task of copying one file of a mirror, and its result.
 */
import type * as DateTime from "effect/DateTime"
import type { MirroredFile } from "../targets/MirroredFile.ts"
import type { WriteReceipt } from "../targets/MirrorTarget.ts"

/** The lease of a worker on one task. */
export interface TaskLease {
  readonly mirrorId: string
  readonly fileId: string
  /** Unique to one claim. */
  readonly lease: string
}

/** Brings the target up to date with the current state of one file. */
export interface MirrorTask extends TaskLease {
  /** The number of the change up to which the target will be up to date. */
  readonly wanted: number
  /** Failed attempts since the file was last copied. */
  readonly attempts: number
  /** The object to write; null when there is none. Its name belongs to this task until the lease ends. */
  readonly write: {
    readonly file: MirroredFile
    readonly name: string
    /** Whether the target is known to have an object of this name with these bytes. */
    readonly hasBytes: boolean
  } | null
  /** Names of objects to remove. They belong to this task until the lease ends. */
  readonly remove: ReadonlyArray<string>
}

/** An object as the target reported it after the write. */
export interface WrittenObject extends WriteReceipt {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

export interface TaskResult {
  readonly task: MirrorTask
  /** The object that was written, also when the task failed afterwards. */
  readonly written: WrittenObject | null
  /** The objects that were removed, also when the task failed afterwards. */
  readonly removed: ReadonlyArray<string>
  /** Null when the target has the file as it was at the claim. */
  readonly failure: {
    /** The error of this file; null when the mirror as a whole failed. */
    readonly error: string | null
    readonly retryAt: DateTime.Utc
  } | null
}
