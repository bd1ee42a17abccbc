/**
 * `Vary` (RFC 9110, section 12.5.5): the request headers that an answer depends on.
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ServerResponse } from "node:http"
import * as NodeRequest from "../incoming/NodeRequest.ts"

/** The headers that carry keys. A cache that stores such an answer must not serve it to a request with another key or none. */
export const keyed = "Authorization, X-Api-Key"

/**
 * Returns these fields after those that `Vary` of Node's response has already, such as `Origin` of a server or host that
 * handles CORS: `writeHead` would replace them.
 */
export const joinTo = (response: ServerResponse | undefined, fields: string): string => {
  const set = response?.getHeader("vary")
  return set === undefined ? fields : `${String(set)}, ${fields}`
}

/** The same for the response to a request. */
export const join = (request: HttpServerRequest, fields: string): string =>
  joinTo(NodeRequest.find(request)?.response, fields)
