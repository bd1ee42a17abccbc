/**
 * `Expect: 100-continue` (RFC 9110 §10.1.1): the client is told to go on when somebody begins to read the body, and
 * not before. So an upload that is refused for its key, its size or its name is refused before its bytes are sent.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

const awaiting = new WeakSet<IncomingMessage>()

/** Whether the client still waits to be told. */
export const isAwaited = (request: IncomingMessage): boolean => awaiting.has(request)

/** Holds the answer back until the body's first reader, or somebody's `writeContinue`. */
export const defer = (request: IncomingMessage, response: ServerResponse): void => {
  const { shouldKeepAlive } = response
  const writeContinue = response.writeContinue.bind(response)
  awaiting.add(request)
  // Who gets a final answer instead may send the body nevertheless: nothing more can be read from this connection.
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
