/**
 * The one error of the Transcoder port.
 */
import * as Data from "effect/Data"

/**
 * - `NotMedia`: the file holds neither video nor audio that could be recognised, or is cut off so early that nobody can
 *   tell.
 * - `Unsupported`: it is media, but of a kind that cannot be worked on, as with an unknown codec.
 * - `LimitExceeded`: the work was given up at one of its limits.
 * - `Failed`: the work failed over the file's content.
 * - `StorageFull`: no room is left for the result.
 * - `Unavailable`: there is no program to do the work, or something outside killed it.
 * - `Internal`: anything else; a bug, or a directory that cannot be used.
 */
export type Reason =
  | "NotMedia"
  | "Unsupported"
  | "LimitExceeded"
  | "Failed"
  | "StorageFull"
  | "Unavailable"
  | "Internal"

const summaries: { readonly [reason in Reason]: string } = {
  NotMedia: "The content is neither video nor audio.",
  Unsupported: "This kind of video or audio cannot be converted.",
  LimitExceeded: "The conversion exceeded a limit.",
  Failed: "The conversion failed.",
  StorageFull: "There is no room for the conversion.",
  Unavailable: "No video converter is available.",
  Internal: "The video converter does not work."
}

export class TranscodeError extends Data.TaggedError("TranscodeError")<{
  readonly reason: Reason
  /** The port's method that failed, for the operator. */
  readonly operation: string
  /** What is known beyond the reason, fit for the file's owner: no path or name of this machine. */
  readonly detail?: string | undefined
  readonly cause?: unknown
}> {
  override get message(): string {
    const summary = summaries[this.reason]
    return this.detail === undefined || this.detail === "" ? summary : `${summary} ${this.detail}`
  }

  /** Whether the same call may succeed later. */
  get isRetryable(): boolean {
    return this.reason === "Unavailable" || this.reason === "StorageFull"
  }

  get code(): "not_a_video" | "conversion_failed" | "transcoder_unavailable" | "storage_full" | "internal" {
    switch (this.reason) {
      case "NotMedia":
        return "not_a_video"
      case "Unavailable":
        return "transcoder_unavailable"
      case "StorageFull":
        return "storage_full"
      case "Internal":
        return "internal"
      default:
        return "conversion_failed"
    }
  }
}
