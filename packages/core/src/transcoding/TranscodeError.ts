/**
 * The error of the Transcoder port.
 */
import * as Data from "effect/Data"
import type { Mode } from "./ConversionPlan.ts"

/**
 * - `NotMedia`: the file has no recognisable video or audio, or was cut off too early to find out.
 * - `Unsupported`: the file is media that the transcoder does not support, as with an unknown codec.
 * - `Encrypted`: the file is media that only players with its key (DRM) can play.
 * - `NotCopyable`: a copy of the tracks cannot be played. A conversion in another mode may succeed (`nextMode`).
 * - `LimitExceeded`: the run was stopped at one of its limits.
 * - `Failed`: the run failed because of the file's content.
 * - `StorageFull`: the disk is full.
 * - `Unavailable`: the program is missing, or another process killed it.
 * - `Internal`: any other failure: a bug, or an unusable directory.
 */
export type Reason =
  | "NotMedia"
  | "Unsupported"
  | "Encrypted"
  | "NotCopyable"
  | "LimitExceeded"
  | "Failed"
  | "StorageFull"
  | "Unavailable"
  | "Internal"

const summaries: { readonly [reason in Reason]: string } = {
  NotMedia: "The content is neither video nor audio.",
  Unsupported: "This kind of video or audio cannot be converted.",
  Encrypted: "The content is encrypted.",
  NotCopyable: "The tracks of the content cannot be copied.",
  LimitExceeded: "The conversion exceeded a limit.",
  Failed: "The conversion failed.",
  StorageFull: "There is not enough disk space for the conversion.",
  Unavailable: "No video converter is available.",
  Internal: "The video converter does not work."
}

export class TranscodeError extends Data.TaggedError("TranscodeError")<{
  readonly reason: Reason
  /** The port's method that failed, for the operator. */
  readonly operation: string
  /** What else is known. May be shown to the file's owner: it contains no path or name of this machine. */
  readonly detail?: string | undefined
  /** For `NotCopyable`: the mode in which a conversion may succeed. Default: `transcode`. */
  readonly nextMode?: Exclude<Mode, "auto"> | undefined
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

  get code():
    | "not_a_video"
    | "content_encrypted"
    | "conversion_failed"
    | "transcoder_unavailable"
    | "storage_full"
    | "internal" {
    switch (this.reason) {
      case "Encrypted":
        return "content_encrypted"
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
