/**
 * Makes every request end in a response or an error.
 *
 * Node's client emits neither when a service changes the protocol (status 101, RFC 9110, section 15.2.2) and no listener takes over
 * the connection: it destroys the connection, and the request emits `close` only. Most clients then wait without end, because they
 * take `close` for the end of a request that has had its response or its error.
 */
import { errorMonitor } from "node:events"
import type * as Http from "node:http"
import { UnexpectedResponse } from "../UnexpectedResponse.ts"

/** Has a request emit an error when it closes without one and without a response. */
export const install = (request: Http.ClientRequest): void => {
  let hasEnded = false
  const end = () => void (hasEnded = true)
  request.once("response", end)
  request.once(errorMonitor, end)
  request.once("close", () => {
    if (!hasEnded) request.emit("error", new UnexpectedResponse({ event: "changed the protocol of the connection" }))
  })
}
