/**
 * The headers that every answer has, those included that are not written through Effect's response.
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ServerResponse } from "node:http"
import * as RequestId from "./RequestId.ts"
import * as Vary from "./Vary.ts"

/** Header values by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string>>

const registered = new WeakMap<object, ResponseHeaders>()

/** Adds headers to the answer of a request, which the router or a handler writes. */
export const register = ({ source }: HttpServerRequest, headers: ResponseHeaders): void =>
  void registered.set(source, { ...registered.get(source), ...headers })

/** Returns the request id, and a policy by which browsers send no `Referer`: URLs of the API may contain keys. */
export const forRequestId = (requestId: string): ResponseHeaders => ({
  "referrer-policy": "no-referrer",
  [RequestId.header]: requestId
})

/** What keeps caches from storing an answer. URLs may contain keys, so that every answer has it unless a route sets another value. */
export const uncached: ResponseHeaders = { "cache-control": "no-store" }

/** Returns the same and `Vary`, for an answer that is written to Node's response without the router. */
export const forResponse = (response: ServerResponse, requestId: string): ResponseHeaders => ({
  ...forRequestId(requestId),
  vary: Vary.joinTo(response, Vary.keyed)
})

/**
 * Returns the same, `Vary`, and the headers that were registered.
 *
 * @param vary The request headers that the answer depends on; by default those that carry keys.
 */
export const forRequest = (request: HttpServerRequest, requestId: string, vary = Vary.keyed): ResponseHeaders => ({
  ...forRequestId(requestId),
  ...registered.get(request.source),
  vary: Vary.join(request, vary)
})
