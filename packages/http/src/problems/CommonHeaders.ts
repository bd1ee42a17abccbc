/**
 * The headers that every answer has, those included that are not written through Effect's response.
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as RequestId from "./RequestId.ts"
import * as Vary from "./Vary.ts"

/** Header values by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string>>

const registered = new WeakMap<object, ResponseHeaders>()

/** Adds headers to the answer of a request, which the router or a handler writes. */
export const register = ({ source }: HttpServerRequest, headers: ResponseHeaders): void =>
  void registered.set(source, headers)

/** Returns the request id, and a policy by which browsers send no `Referer`: URLs of the API may contain keys. */
export const forRequestId = (requestId: string): ResponseHeaders => ({
  "referrer-policy": "no-referrer",
  [RequestId.header]: requestId
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
