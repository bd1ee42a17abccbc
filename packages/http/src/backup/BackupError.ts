/**
 * The failures of backups and restores that an operator can act upon.
 */
import * as Data from "effect/Data"

export class BackupError extends Data.TaggedError("BackupError")<{
  /** What is wrong, and what to do. */
  readonly message: string
  readonly cause?: unknown
}> {}
