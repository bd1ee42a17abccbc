/**
 * The errors of transferring bytes over HTTP, beyond those of the core. Like the core's errors, each has the `code` that the
 * response carries, and none contains an HTTP status.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import type { MinimumRate } from "./MinimumRate.ts"

/** None of the requested ranges lies within the content (RFC 9110, section 15.5.17). */
export class RangeNotSatisfiable extends Data.TaggedError("RangeNotSatisfiable")<{
  /** The size of the whole content, in bytes. */
  readonly size: number
}> {
  readonly code = "range_not_satisfiable"
  override get message(): string {
    return `No requested range lies within the content, which has ${this.size} bytes.`
  }

  /** The value of the response's `Content-Range`, which informs the client of the size. */
  get contentRange(): string {
    return `bytes */${this.size}`
  }
}

/**
 * The bytes were removed after the record was read: the content was replaced or deleted in between. Nothing has been sent
 * yet, so the caller can read the record again.
 */
export class ContentGone extends Data.TaggedError("ContentGone")<{}> {
  readonly code = "not_found"
  override readonly message = "The content was replaced or removed while the request was handled."
}

/** The client disconnected, or the connection broke, before the end of the body. */
export class BodyAborted extends Data.TaggedError("BodyAborted")<{ readonly cause?: unknown }> {
  readonly code = "length_mismatch"
  override readonly message = "The connection ended before the body was complete."
}

/** The client sent nothing for longer than the deployment's idle timeout. */
export class BodyStalled extends Data.TaggedError("BodyStalled")<{
  /** Milliseconds without a byte. */
  readonly idle: number
}> {
  readonly code = "request_timeout"
  override get message(): string {
    return `No bytes of the body arrived for ${this.idle / 1000} seconds.`
  }
}

/** The client sent the body more slowly than the deployment's minimum rate. */
export class BodyTooSlow extends Data.TaggedError("BodyTooSlow")<{ readonly rate: MinimumRate }> {
  readonly code = "request_timeout"
  override get message(): string {
    const { bytesPerSecond, window } = this.rate
    return `The body arrived more slowly than ${bytesPerSecond} bytes per second, averaged over ${Duration.format(window)}.`
  }
}

/** The body of the operation is a content, and the request has a form. */
export class FormNotAccepted extends Data.TaggedError("FormNotAccepted")<{}> {
  readonly code = "unsupported_media_type"
  override readonly message =
    "The body of this operation is the content itself, not a form. Send the bytes of the file with their own Content-Type."
}

/** The operation does not accept a body of this media type. */
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<{
  /** The media type that the operation accepts. */
  readonly expected: string
}> {
  readonly code = "unsupported_media_type"
  override get message(): string {
    return `The Content-Type must be ${this.expected}.`
  }
}
