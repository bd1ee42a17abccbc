/**
 * Errors of the Promise API alone. It rejects with the core's own classes otherwise.
 */
import * as Data from "effect/Data"

/** The instance was closed; open another one. */
export class Closed extends Data.TaggedError("Closed")<{}> {
  readonly code = "closed"
  override readonly message = "This Holdfast has been closed."
}

/** The caller's `AbortSignal` fired; the call changed nothing. `cause` is the signal's reason. */
export class Aborted extends Data.TaggedError("Aborted")<{ readonly cause?: unknown }> {
  readonly code = "aborted"
  override readonly message = "The operation was aborted."
}

/** The content to upload failed before its end; nothing was stored. `cause` is the error of the content's source. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{ readonly cause?: unknown }> {
  readonly code = "source_failed"
  override readonly message = "The content could not be read to its end."
}
