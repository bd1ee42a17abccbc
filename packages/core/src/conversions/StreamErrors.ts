/**
 * Errors of conversions and streams, beside those that all services share.
 */
import * as Data from "effect/Data"
import { ContentDamaged } from "../files/FileErrors.ts"
import type { ConversionFault } from "./StoredConversion.ts"

/** The content is neither video nor audio. */
export class NotAVideo extends Data.TaggedError("NotAVideo")<{}> {
  readonly code = "not_a_video"
  override readonly message = "The content is neither video nor audio."
}

/** The content is encrypted, so that it cannot be converted. */
export class ContentEncrypted extends Data.TaggedError("ContentEncrypted")<{}> {
  readonly code = "content_encrypted"
  override readonly message = "The content is encrypted."
}

/** The tenant has as many pending conversions as its quota permits. */
export class TooManyConversions extends Data.TaggedError("TooManyConversions")<{ readonly limit: number }> {
  readonly code = "too_many_conversions"
  override get message(): string {
    return `The tenant has ${this.limit} conversions that wait or run. Request more when some of them have ended.`
  }
}

/** The conversion FAILED. Another request starts it again. */
export class ConversionFailed extends Data.TaggedError("ConversionFailed")<{ readonly detail: string }> {
  readonly code = "conversion_failed"
  override get message(): string {
    return this.detail
  }
}

/** No conversion of the content to this format was requested. */
export class StreamNotConverted extends Data.TaggedError("StreamNotConverted")<{}> {
  readonly code = "stream_not_converted"
  override readonly message = "The content has not been converted to this format. Request the conversion first."
}

/** The conversion is QUEUED or RUNNING and has not produced this file yet. */
export class StreamNotReady extends Data.TaggedError("StreamNotReady")<{}> {
  readonly code = "unavailable"
  /** Not a failure of the service: the HTTP layer does not log it. */
  readonly isExpected = true
  override readonly message = "The conversion has not produced this file yet. Try again later."
}

/** There is no program that converts. */
export class TranscoderUnavailable extends Data.TaggedError("TranscoderUnavailable")<{}> {
  readonly code = "transcoder_unavailable"
  override readonly message = "No video converter is available."
}

/** Returns the error for a FAILED conversion. */
export const fromFault = ({
  code,
  detail
}: ConversionFault): NotAVideo | ContentEncrypted | ConversionFailed | ContentDamaged => {
  switch (code) {
    case "content_damaged":
      return new ContentDamaged()
    case "not_a_video":
      return new NotAVideo()
    case "content_encrypted":
      return new ContentEncrypted()
    default:
      return new ConversionFailed({ detail })
  }
}
