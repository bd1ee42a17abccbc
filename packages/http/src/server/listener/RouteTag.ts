/**
 * Notes which route took a request, for the access log and the metrics.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { IncomingMessage } from "node:http"
import * as ObservedRequest from "./ObservedRequest.ts"

type Provided = HttpServerRequest | HttpRouter.RouteContext

const note = (context: Context.Context<Provided>): void => {
  const request = Context.get(context, HttpServerRequest)
  if (request.source instanceof Request) return
  // An HTTP/2 request has the same members, and no exchange.
  const exchange = ObservedRequest.of(NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage)
  if (exchange !== undefined) exchange.route = Context.get(context, HttpRouter.RouteContext).route.path
}

/** Provided to routes while they register. */
export const layer = HttpRouter.middleware((route) =>
  Effect.contextWith((context: Context.Context<Provided>) => {
    note(context)
    return route
  })
).layer
