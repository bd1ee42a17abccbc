/**
 * What can go wrong while bytes move over HTTP, beyond the errors of the core. Like those, each has the `code` of the
 * wire and knows no status.
 */
import * as Data from "effect/Data"

/** None of the asked ranges lies within the content (RFC 9110, section 15.5.17). */
export class RangeNotSatisfiable extends Data.TaggedError("RangeNotSatisfiable")<{
  /** Bytes of the whole content: what `Content-Range` tells the client. */
  readonly size: number
}> {
  readonly code = "range_not_satisfiable"
  override readonly message = "The range lies outside the content."

  /** The value of `Content-Range` in the answer. */
  get contentRange(): string {
    return `bytes */${this.size}`
  }
}

/**
 * The bytes were removed between reading the row and opening them: the content was replaced or deleted meanwhile.
 * Nothing was sent yet, so the caller reads the row once more.
 */
export class ContentGone extends Data.TaggedError("ContentGone")<{}> {
  readonly code = "not_found"
  override readonly message = "The content was replaced or removed meanwhile."
}

/** The client went away, or its connection broke, before the body had come to its end. */
export class BodyAborted extends Data.TaggedError("BodyAborted")<{ readonly cause?: unknown }> {
  readonly code = "length_mismatch"
  override readonly message = "The body ended before it was complete."
}

/** The client sent nothing for longer than the deployment waits. */
export class BodyStalled extends Data.TaggedError("BodyStalled")<{
  /** Milliseconds without a byte. */
  readonly idle: number
}> {
  readonly code = "length_mismatch"
  override get message(): string {
    return `The body stopped coming: no bytes for ${this.idle / 1000} seconds.`
  }
}

/** The body is of a media type that the operation does not take. */
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<{
  readonly expected: string
}> {
  readonly code = "unsupported_media_type"
  override get message(): string {
    return `The body must be ${this.expected}.`
  }
}
