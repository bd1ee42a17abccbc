/**
 * The routes of the service outside the API: health, metrics and the API reference.
 */
import type { Health } from "@holdfast/core/deployment/Health"
import type { QueueDepthMetrics } from "@holdfast/core/metrics/QueueDepthMetrics"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { Api } from "../../contract/Api.ts"
import { routerConfig } from "../../handlers/ApiRoutes.ts"
import * as OperatorRoutes from "../../operator/OperatorRoutes.ts"
import type { Route } from "../../problems/AllowedMethods.ts"
import * as ProblemMiddleware from "../../problems/ProblemMiddleware.ts"
import * as ReferenceRoutes from "./reference/ReferenceRoutes.ts"

/** The methods and paths of these routes. */
export const routes: ReadonlyArray<Route> = [
  ...OperatorRoutes.routes,
  { method: "GET", path: "/docs" },
  { method: "GET", path: "/openapi.json" }
]

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Health | QueueDepthMetrics> = Layer.merge(
  OperatorRoutes.layer,
  ReferenceRoutes.layer(Api)
)

/** The same, for a router that has no other routes. */
export const layerAlone: Layer.Layer<never, never, HttpRouter.HttpRouter | Health | QueueDepthMetrics | SecureRandom> =
  Layer.merge(layer, ProblemMiddleware.layer(routes, routerConfig))
