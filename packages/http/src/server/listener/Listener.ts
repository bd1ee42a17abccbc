/**
 * What happens to every request around its handler: framing, request id, CORS, access log, metrics. It works on Node's
 * own request and response, so that it sees also what bypasses the framework.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as RequestId from "../../problems/RequestId.ts"
import type { AccessLog } from "./AccessLog.ts"
import type { Connections } from "./Connections.ts"
import type { Cors } from "./Cors.ts"
import * as ObservedRequest from "./ObservedRequest.ts"
import * as Framing from "./Framing.ts"
import type { RequestMetrics } from "../metrics/RequestMetrics.ts"
import * as NodeProblem from "./NodeProblem.ts"

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

export interface Surroundings {
  readonly connections: Connections
  readonly accessLog: AccessLog
  readonly metrics: RequestMetrics
  readonly cors: Cors | undefined
  /** Names a request, by what its client calls it. */
  readonly nameRequest: (given: string | undefined) => string
}

/** As in nginx: the client left before it was answered. */
const clientGone = 499

const single = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" ? header : undefined

/** A listener that surrounds another. */
export const make = (handler: RequestListener, around: Surroundings): RequestListener => {
  const { accessLog, connections, cors, metrics, nameRequest } = around
  return (request, response) => {
    const requestId = nameRequest(single(request.headers[RequestId.header]))
    // The handlers name the request by this header too.
    request.headers[RequestId.header] = requestId
    const exchange = ObservedRequest.begin(request, requestId)
    const traffic = connections.begin(request, response)
    response.once("close", () => {
      const isAborted = !response.writableFinished
      const status = response.headersSent ? response.statusCode : clientGone
      const milliseconds = performance.now() - exchange.startedAt
      metrics.answered(exchange, status, milliseconds)
      accessLog.note(exchange, { ...traffic(), status, milliseconds, isAborted })
    })
    const fault = Framing.fault(request)
    if (fault !== undefined) return NodeProblem.send(response, "invalid_request", fault, requestId)
    if (cors?.handle(request, response) === true) return
    handler(request, response)
  }
}
