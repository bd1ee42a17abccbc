/**
 * Errors that only the Promise door knows. All others are the core's own classes.
 */
import * as Data from "effect/Data"

/** The instance was closed; open another one. */
export class Closed extends Data.TaggedError("Closed")<{}> {
  readonly code = "closed"
  override readonly message = "This Holdfast has been closed."
}

/** The caller's `AbortSignal` fired; nothing was changed. `cause` is the signal's reason. */
export class Aborted extends Data.TaggedError("Aborted")<{ readonly cause?: unknown }> {
  readonly code = "aborted"
  override readonly message = "The operation was aborted."
}

/** The content that the caller gave failed midway; nothing was stored. `cause` is its own error. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{ readonly cause?: unknown }> {
  readonly code = "source_failed"
  override readonly message = "The content could not be read to its end."
}
