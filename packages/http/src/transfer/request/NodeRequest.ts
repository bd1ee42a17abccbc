/**
 * Node's own objects behind a request, where the server is Node's.
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
 * The message and the response of a request; undefined on servers that speak web `Request`s. Those of HTTP/2 have the
 * same methods as those of HTTP/1.1, as far as they are used here.
 */
export const find = (request: HttpServerRequest.HttpServerRequest): NodeRequest | undefined =>
  request.source instanceof Readable
    ? {
        message: NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage,
        response: NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      }
    : undefined
