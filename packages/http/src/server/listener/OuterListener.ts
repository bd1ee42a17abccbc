/**
 * The outermost request listener. For every request it assigns the request id, checks the framing, handles CORS, and records the
 * access log and the metrics. It divides the event loop between tenants. It works on Node's own request and response, so that it
 * also covers responses that bypass the framework.
 */
import type { RequestListener } from "node:http"
import * as ClientAddress from "../../incoming/ClientAddress.ts"
import type { Network } from "../../incoming/TrustedProxies.ts"
import * as RequestId from "../../problems/RequestId.ts"
import type { RequestMetrics } from "../metrics/RequestMetrics.ts"
import type { AccessLog } from "./AccessLog.ts"
import type { Connections } from "./Connections.ts"
import type { Cors } from "./Cors.ts"
import type { Draining } from "../../operator/Draining.ts"
import * as Framing from "./Framing.ts"
import * as NodeProblem from "./NodeProblem.ts"
import * as ObservedRequest from "./ObservedRequest.ts"
import * as RequestTurns from "../../incoming/RequestTurns.ts"

export interface Options {
  readonly connections: Connections
  readonly accessLog: AccessLog
  readonly metrics: RequestMetrics
  readonly cors: Cors | undefined
  readonly draining: Draining
  readonly trustedProxies: ReadonlyArray<Network>
  /** Returns the id of a request; its parameter is the id that the client sent. */
  readonly assignRequestId: (sent: string | undefined) => string
}

/**
 * The status that the access log and the metrics have for a client that disconnected before the answer, as in nginx.
 */
const clientClosedRequest = 499

const singleValue = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" ? header : undefined

/** Returns a listener that handles what concerns every request and passes the request to `inner`. */
export const make = (inner: RequestListener, options: Options): RequestListener => {
  const { accessLog, assignRequestId, connections, cors, draining, metrics, trustedProxies } = options
  const turns = RequestTurns.make()
  return (request, response) => {
    if (connections.ignores(response)) return
    const requestId = assignRequestId(singleValue(request.headers[RequestId.header]))
    // The routes read the id from this header.
    request.headers[RequestId.header] = requestId
    const remoteAddress = ClientAddress.resolve(
      {
        address: request.socket.remoteAddress,
        forwarded: request.headers.forwarded,
        xForwardedFor: singleValue(request.headers["x-forwarded-for"])
      },
      trustedProxies
    )
    if (draining.isActive()) response.shouldKeepAlive = false
    const observed = ObservedRequest.observe(request, { requestId, remoteAddress })
    const traffic = connections.track(request, response)
    response.once("close", () => {
      const isAborted = !response.writableFinished
      const status = response.headersSent ? response.statusCode : clientClosedRequest
      const milliseconds = performance.now() - observed.startedAt
      metrics.record(observed, status, milliseconds)
      accessLog.record(observed, { ...traffic(), status, milliseconds, isAborted })
    })
    const fault = Framing.findFault(request)
    if (fault !== undefined) {
      return NodeProblem.send(response, { code: "invalid_request", detail: fault, requestId })
    }
    if (cors?.handle(request, response) === true) return
    const answer = (): void => {
      if (!response.destroyed) inner(request, response)
    }
    connections.start(response, () => {
      if (turns.mayStart(observed.startedAt)) answer()
      else turns.enqueue(RequestTurns.ownerOf(request.url ?? "", remoteAddress), answer)
    })
  }
}
