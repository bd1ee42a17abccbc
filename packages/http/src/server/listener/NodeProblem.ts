/**
 * Answers with problems (RFC 9457) that are written with Node's own means, before a request reaches the router.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import * as ProblemBody from "../../problems/ProblemBody.ts"
import type { ProblemCode } from "../../problems/ProblemTable.ts"
import * as RequestId from "../../problems/RequestId.ts"

/** The part of a problem that depends on the request. */
export interface RequestProblem {
  readonly code: ProblemCode
  readonly detail: string
  readonly requestId: string
}

/** Answers with a problem and closes the connection, because the start of its next request is unknown. */
export const send = (response: ServerResponse, problem: RequestProblem): void => {
  const body = ProblemBody.make(problem)
  response.writeHead(body.status, {
    "content-type": ProblemBody.contentType,
    "referrer-policy": "no-referrer",
    [RequestId.header]: problem.requestId,
    connection: "close"
  })
  response.end(JSON.stringify(body))
}

/**
 * Answers with a problem on a socket whose request could not be parsed. `statusLine` is a status with its reason
 * phrase.
 */
export const sendRaw = (socket: Duplex, statusLine: string, problem: RequestProblem): void => {
  const text = JSON.stringify(ProblemBody.make({ ...problem, status: Number.parseInt(statusLine, 10) }))
  const head = [
    `HTTP/1.1 ${statusLine}`,
    `Content-Type: ${ProblemBody.contentType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${problem.requestId}`,
    "Connection: close"
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`)
}
