/**
 * The request on whose behalf an effect runs, for records of who did what. It grants no permission.
 */
import * as Context from "effect/Context"

export interface RequestInfo {
  /** The id of the request, as in its answer (`X-Request-Id`) and in the log. */
  readonly requestId: string | undefined
  /** The client's IP address, beyond trusted proxies; undefined if the host of a mounted API does not know it. */
  readonly clientAddress: string | undefined
}

/** Without a request, for example in a program that uses the library, both fields are undefined. */
export const CurrentRequest = Context.Reference<RequestInfo>("@holdfast/core/access/CurrentRequest", {
  defaultValue: () => ({ requestId: undefined, clientAddress: undefined })
})
