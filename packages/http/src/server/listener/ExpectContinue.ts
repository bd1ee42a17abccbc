/**
 * `Expect: 100-continue` (RFC 9110, section 10.1.1): `100 Continue` is sent when the body gets its first reader, not
 * earlier. So an upload that is refused because of its key, size or name is refused before its bytes are sent.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

const awaiting = new WeakSet<IncomingMessage>()

/** Whether the client still waits for `100 Continue`. */
export const isAwaited = (request: IncomingMessage): boolean => awaiting.has(request)

/** Defers `100 Continue` until the body has a reader or a handler calls `writeContinue`. */
export const defer = (request: IncomingMessage, response: ServerResponse): void => {
  const { shouldKeepAlive } = response
  const writeContinue = response.writeContinue.bind(response)
  awaiting.add(request)
  // A client that gets a final answer instead may send the body all the same. Nothing after it on this connection can
  // be read as a request.
  response.shouldKeepAlive = false
  const proceed = (callback?: () => void): void => {
    if (!awaiting.delete(request) || response.headersSent) return
    response.shouldKeepAlive = shouldKeepAlive
    writeContinue(callback)
  }
  response.writeContinue = proceed
  request.on("newListener", (event) => {
    if (event === "data" || event === "readable") proceed()
  })
}
