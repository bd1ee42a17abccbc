/**
 * The error of a response whose body has more bytes than any correct response has.
 */
import * as Data from "effect/Data"
import { property } from "./Property.ts"

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

const isText = (text: unknown): boolean => typeof text === "string" && /the response has more than \d+ bytes/.test(text)

/** Returns whether an error is a `ResponseTooLong`, or has its code or its text. Azure's client keeps only the text. */
export const isTooLong = (error: unknown): boolean =>
  property(error, "code") === code ||
  property(property(error, "cause"), "code") === code ||
  isText(property(error, "message"))
