/**
 * Answers the requests to the S3 API ahead of the router of the other API.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import type { RequestListener } from "node:http"
import * as Address from "../../s3/Address.ts"
import * as S3Routes from "../../s3/S3Routes.ts"
import * as ObservedRequest from "./ObservedRequest.ts"

/** The route of the S3 API in the access log and the metrics. Keys and names of buckets are not part of it. */
const route = "S3"

/** Makes a listener that passes all other requests to the listener that `router` makes. */
export const make = Effect.fnUntraced(function* <E, R>(
  router: Effect.Effect<RequestListener, E, R>,
  endpoint: Address.Endpoint
) {
  const others = yield* router
  if (endpoint.path === null && endpoint.host === undefined) return others
  const app = yield* S3Routes.make(endpoint)
  const s3: RequestListener = yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope })
  const listener: RequestListener = (request, response) => {
    if (!Address.matches(endpoint, request.url ?? "", request.headers.host ?? "")) return others(request, response)
    ObservedRequest.recordRoute(request, route)
    s3(request, response)
  }
  return listener
})
