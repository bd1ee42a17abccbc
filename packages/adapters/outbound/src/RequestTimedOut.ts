/**
 * The error of a request that took longer in all than requests may take.
 */
import * as Data from "effect/Data"

/** Clients take it for a connection that timed out, which it is; another attempt may succeed. */
export class RequestTimedOut extends Data.TaggedError("RequestTimedOut")<{
  /** Milliseconds. */
  readonly timeout: number
}> {
  readonly code = "ETIMEDOUT"

  override get message(): string {
    return `the service did not complete its response within ${Math.round(this.timeout / 1000)} seconds`
  }
}
