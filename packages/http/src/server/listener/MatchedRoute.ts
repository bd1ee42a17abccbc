/**
 * Records which route matches a request, for the access log and the metrics.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as ObservedRequest from "./ObservedRequest.ts"

type RouteServices = HttpServerRequest | HttpRouter.RouteContext

const record = (context: Context.Context<RouteServices>): void => {
  const observed = ObservedRequest.find(Context.get(context, HttpServerRequest))
  if (observed !== undefined) observed.route = Context.get(context, HttpRouter.RouteContext).route.path
}

/** The middleware that records the route. It applies to the routes that this layer is provided to. */
export const layer = HttpRouter.middleware((route) =>
  Effect.contextWith((context: Context.Context<RouteServices>) => {
    record(context)
    return route
  })
).layer
