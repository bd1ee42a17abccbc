/**
 * The properties of a request that the access log and the metrics record. They contain neither a query string nor a
 * key.
 */
import type { RequestIdentity, RequestInfo } from "@holdfast/core/access/CurrentRequest"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { IncomingMessage } from "node:http"
import * as MaskKeys from "@holdfast/core/secrets/MaskKeys"

export interface ObservedRequest {
  readonly requestId: string
  readonly method: string
  /** The path of the request without the query and without keys, at most 2 KiB. */
  readonly path: string
  /** The client's address, beyond trusted proxies. */
  readonly remoteAddress: string | undefined
  /** Milliseconds of the process's monotonic clock. */
  readonly startedAt: number
  /** The path template of the route, such as `/api/v1/tenants/:tenantId`; undefined if no route matches. */
  route: string | undefined
  /** The account and the key of the request; undefined if it has no valid key. */
  identity: RequestIdentity | undefined
}

const observedRequests = new WeakMap<object, ObservedRequest>()

/** Bytes of a path that are recorded at most. Node accepts paths of 16 KiB. */
const maxPathBytes = 2048

const cut = (path: string): string =>
  path.length * 2 <= maxPathBytes || Buffer.byteLength(path) <= maxPathBytes
    ? path
    : `${Buffer.from(path.slice(0, maxPathBytes)).subarray(0, maxPathBytes).toString()}…`

const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return cut(MaskKeys.mask(end < 0 ? url : url.slice(0, end)))
}

/** Starts observing a request. `requestId` must be one that `RequestId.makeAssigner` accepted or generated. */
export const observe = (
  request: IncomingMessage,
  { remoteAddress, requestId }: Pick<ObservedRequest, "requestId" | "remoteAddress">
): ObservedRequest => {
  const observed: ObservedRequest = {
    requestId,
    method: request.method ?? "",
    path: pathOf(request.url ?? ""),
    remoteAddress,
    startedAt: performance.now(),
    route: undefined,
    identity: undefined
  }
  observedRequests.set(request, observed)
  return observed
}

/** Finds what was observed of a request; undefined for a request of a server other than `StandaloneServer`. */
export const find = ({ source }: HttpServerRequest): ObservedRequest | undefined => observedRequests.get(source)

/** Records the route of a request that is answered without the router, and returns what is known of the request. */
export const recordRoute = (request: IncomingMessage, route: string): Omit<RequestInfo, "onRefused" | "pageOrigin"> => {
  const observed = observedRequests.get(request)
  if (observed === undefined) return { requestId: undefined, clientAddress: undefined }
  observed.route = route
  return {
    requestId: observed.requestId,
    clientAddress: observed.remoteAddress,
    onIdentified: (identity) => void (observed.identity = identity)
  }
}

/** Records the identity of a request. */
export const recordIdentity = (request: HttpServerRequest, identity: RequestIdentity): void => {
  const observed = find(request)
  if (observed !== undefined) observed.identity = identity
}
