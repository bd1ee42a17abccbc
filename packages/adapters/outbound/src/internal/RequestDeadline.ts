/**
 * Ends requests that take too long in all. A timeout of inactivity alone does not: a service that sends a byte of a
 * header from time to time would hold a request, and what waits for it, without end.
 */
import type * as Http from "node:http"
import { RequestTimedOut } from "../RequestTimedOut.ts"

/**
 * The rate at which the body of a request must be sent on average, in bytes per millisecond: 4 KiB per second. A worker may
 * share a slow line among 24 requests with parts of 8 MiB.
 */
const minRate = 4.096

/** How long an operation may take that a service performs on all bytes of a large object. */
const slowTimeout = 10 * 60_000

const bodyBytes = (request: Http.ClientRequest): number => {
  const length = Number(request.getHeader("content-length") ?? 0)
  return Number.isSafeInteger(length) ? length : 0
}

export interface Deadline {
  /** Milliseconds for a request without a body. */
  readonly timeout: number
  /** Whether the service works on a whole large object before it responds. */
  readonly isSlow: boolean
  /** Whether the body of the response goes to a reader, whose pace determines how long it takes. */
  readonly isContent: (response: Http.IncomingMessage) => boolean
}

/**
 * Sets the deadline of a request: from the time at which it gets a connection, which may still have to open, to the end
 * of its response. For a content it ends at the head of the response.
 */
export const install = (request: Http.ClientRequest, { isContent, isSlow, timeout }: Deadline): void => {
  let received: Http.IncomingMessage | undefined
  let timer: NodeJS.Timeout | undefined
  const clear = () => clearTimeout(timer)
  request.once("socket", () => {
    const limit = (isSlow ? Math.max(timeout, slowTimeout) : timeout) + bodyBytes(request) / minRate
    timer = setTimeout(() => {
      const error = new RequestTimedOut({ timeout: limit })
      // A client that reads the response sees the errors of the response only.
      if (received === undefined) request.destroy(error)
      else received.destroy(error)
    }, limit)
  })
  request.once("response", (response) => {
    received = response
    if (isContent(response)) clear()
    else response.once("close", clear)
  })
  request.once("close", clear)
}
