/**
 * The properties of a request that the access log and the metrics record. They contain neither a query string nor a
 * key.
 */
import type { IncomingMessage } from "node:http"

export interface ObservedRequest {
  readonly requestId: string
  readonly method: string
  /** The path of the request without the query. */
  readonly path: string
  readonly remoteAddress: string | undefined
  /** Milliseconds of the process's monotonic clock. */
  readonly startedAt: number
  /** The path template of the route, such as `/api/v1/tenants/:tenantId`; undefined if no route matches. */
  route: string | undefined
}

const observedRequests = new WeakMap<IncomingMessage, ObservedRequest>()

/** An API key or playback key, which a client may have put into a path or a request id by mistake. */
const keys = /(hfp?_)[A-Za-z0-9_-]{20,}/g

const maskKeys = (text: string): string => (text.includes("hf") ? text.replaceAll(keys, "$1***") : text)

const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return maskKeys(end < 0 ? url : url.slice(0, end))
}

/** Starts observing a request. `requestId` must be one that `RequestId.makeAssigner` accepted or generated. */
export const observe = (request: IncomingMessage, requestId: string): ObservedRequest => {
  const observed: ObservedRequest = {
    requestId: maskKeys(requestId),
    method: request.method ?? "",
    path: pathOf(request.url ?? ""),
    remoteAddress: request.socket.remoteAddress,
    startedAt: performance.now(),
    route: undefined
  }
  observedRequests.set(request, observed)
  return observed
}

/** Finds what was observed of a request; undefined for a request of a server other than `StandaloneServer`. */
export const find = (request: IncomingMessage): ObservedRequest | undefined => observedRequests.get(request)
