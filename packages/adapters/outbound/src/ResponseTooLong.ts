/**
 * The error of a response whose body has more bytes than any correct response has.
 */
import * as Data from "effect/Data"

export const code = "ERR_RESPONSE_TOO_LONG"

export class ResponseTooLong extends Data.TaggedError("ResponseTooLong")<{
  /** The bytes that were permitted. */
  readonly maxBytes: number
}> {
  /** Most clients that wrap the error of a response keep its code; not all keep the error itself. */
  readonly code = code

  override get message(): string {
    return `the response has more than ${this.maxBytes} bytes`
  }
}

/** The error text of every adapter for a response that is too long. */
export const detail =
  "The service sent a response that is too long. Check that the endpoint is that of an object store."

/** Whether a value is the text of this error. Azure's client keeps only that. */
export const isText = (text: unknown): boolean =>
  typeof text === "string" && /the response has more than \d+ bytes/.test(text)
