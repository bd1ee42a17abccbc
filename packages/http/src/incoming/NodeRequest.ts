/**
 * Node's own objects of a request, for code that reads or writes past Effect's HTTP modules.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"

export interface NodeRequest {
  readonly message: IncomingMessage
  readonly response: ServerResponse
}

/**
 * The Node message and response of a request; undefined when the server is not Node's, as with web `Request`s. The types
 * are those of HTTP/1.1: HTTP/2's objects have the same methods, as far as this package uses them.
 */
export const find = (request: HttpServerRequest.HttpServerRequest): NodeRequest | undefined =>
  request.source instanceof Readable
    ? {
        message: NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage,
        response: NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      }
    : undefined
