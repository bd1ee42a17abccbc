/**
 * Problems (RFC 9457) that Node itself answers with, before a request has come to the router.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { entryOf, type ProblemCode } from "../../problems/ProblemTable.ts"
import { typeOf } from "../../problems/Problem.ts"
import * as RequestId from "../../problems/RequestId.ts"

export const contentType = "application/problem+json"

/** A problem as JSON. */
export const body = (code: ProblemCode, status: number, detail: string, requestId: string): string => {
  const { title } = entryOf(code)
  return JSON.stringify({ type: typeOf(code), title, status, detail, code, requestId })
}

/** Answers with a problem and closes the connection: where its next request begins cannot be told. */
export const send = (response: ServerResponse, code: ProblemCode, detail: string, requestId: string): void => {
  const { status } = entryOf(code)
  response.writeHead(status, {
    "content-type": contentType,
    "referrer-policy": "no-referrer",
    [RequestId.header]: requestId,
    connection: "close"
  })
  response.end(body(code, status, detail, requestId))
}

/** The same on a socket whose request could not be parsed, with a status that says why. */
export const sendRaw = (socket: Duplex, status: string, detail: string, requestId: string): void => {
  const text = body("invalid_request", Number.parseInt(status, 10), detail, requestId)
  const head = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    "Connection: close"
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`)
}
