/**
 * What can go wrong with conversions and streams, beyond the errors that every service shares.
 */
import * as Data from "effect/Data"
import type { ConversionFault } from "./StreamRecord.ts"

/** The content is neither video nor audio. */
export class NotAVideo extends Data.TaggedError("NotAVideo")<{}> {
  readonly code = "not_a_video"
  override readonly message = "The content is neither video nor audio."
}

/** The conversion was given up; asking for it anew tries again. */
export class ConversionFailed extends Data.TaggedError("ConversionFailed")<{ readonly detail: string }> {
  readonly code = "conversion_failed"
  override get message(): string {
    return this.detail
  }
}

/** Nobody has asked for a conversion of the content into this format. */
export class StreamNotConverted extends Data.TaggedError("StreamNotConverted")<{}> {
  readonly code = "stream_not_converted"
  override readonly message = "The content has not been converted into this format."
}

/** The conversion runs, or waits to, and has not made this file yet. */
export class StreamNotReady extends Data.TaggedError("StreamNotReady")<{}> {
  readonly code = "unavailable"
  /** It is no fault of the service. */
  readonly isExpected = true
  override readonly message = "The conversion has not come so far yet; try again."
}

/** There is no program that converts. */
export class TranscoderUnavailable extends Data.TaggedError("TranscoderUnavailable")<{}> {
  readonly code = "transcoder_unavailable"
  override readonly message = "No video converter is available."
}

/** The error for a FAILED conversion. */
export const ofFault = (fault: ConversionFault): NotAVideo | ConversionFailed =>
  fault.code === "not_a_video" ? new NotAVideo() : new ConversionFailed({ detail: fault.detail })
