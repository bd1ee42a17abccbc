/**
 * One request with its response, as the server observes them: what the access log and the metrics tell of it. It never
 * holds a query string, and no key.
 */
import type { IncomingMessage } from "node:http"

export interface ObservedRequest {
  readonly requestId: string
  readonly method: string
  /** The path as it was asked for, without the query. */
  readonly path: string
  readonly remoteAddress: string | undefined
  /** Milliseconds of the process's monotonic clock. */
  readonly startedAt: number
  /** The route's template, such as `/api/v1/tenants/:tenantId`; undefined when no route took the request. */
  route: string | undefined
}

const exchanges = new WeakMap<IncomingMessage, ObservedRequest>()

/** A key in a place where none belongs. */
const keys = /(hfp?_)[A-Za-z0-9_-]{20,}/g

const withoutKeys = (text: string): string => (text.includes("hf") ? text.replaceAll(keys, "$1***") : text)

const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return withoutKeys(end < 0 ? url : url.slice(0, end))
}

/** Begins to observe a request, under an id that has been found sane. */
export const begin = (request: IncomingMessage, requestId: string): ObservedRequest => {
  const exchange: ObservedRequest = {
    requestId: withoutKeys(requestId),
    method: request.method ?? "",
    path: pathOf(request.url ?? ""),
    remoteAddress: request.socket.remoteAddress,
    startedAt: performance.now(),
    route: undefined
  }
  exchanges.set(request, exchange)
  return exchange
}

/** The exchange of a request; undefined for one that came by another server than ours. */
export const of = (request: IncomingMessage): ObservedRequest | undefined => exchanges.get(request)
