/**
 * The error of a response that no service sends to such a request: a change of the protocol, or interim responses without end.
 */
import * as Data from "effect/Data"

export const code = "ERR_UNEXPECTED_RESPONSE"

export class UnexpectedResponse extends Data.TaggedError("UnexpectedResponse")<{
  /** What the service did, for `message`: a clause without its subject. */
  readonly event: string
}> {
  /** Most clients that wrap the error of a request keep its code; not all keep the error itself. */
  readonly code = code

  override get message(): string {
    return `the service ${this.event}`
  }
}

/** The error text of every adapter for such a response. */
export const detail =
  "The service sent a response that is not one of an object store. Check that the endpoint is that of an object store."
