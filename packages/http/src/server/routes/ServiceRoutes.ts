/**
 * The routes of the service outside the API: health, metrics and the API reference.
 */
import type { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { Api } from "../../contract/Api.ts"
import { routerConfig } from "../../handlers/ApiRoutes.ts"
import * as ProblemMiddleware from "../../problems/ProblemMiddleware.ts"
import type { Route } from "../../problems/AllowedMethods.ts"
import * as ReferenceRoutes from "./reference/ReferenceRoutes.ts"
import * as HealthRoutes from "./HealthRoutes.ts"
import type { QueueDepthMetrics } from "../metrics/QueueDepthMetrics.ts"
import * as MetricsRoute from "./MetricsRoute.ts"

/** The methods and paths of these routes. */
export const routes: ReadonlyArray<Route> = ["/health/live", "/health/ready", "/metrics", "/docs", "/openapi.json"].map(
  (path) => ({ method: "GET", path })
)

export const layer: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | DeploymentRepository | QueueDepthMetrics | BlobStore
> = Layer.mergeAll(HealthRoutes.layer, ReferenceRoutes.layer(Api), MetricsRoute.layer)

/** The same, for a router that has no other routes. */
export const layerAlone: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | DeploymentRepository | QueueDepthMetrics | BlobStore | SecureRandom
> = Layer.merge(layer, ProblemMiddleware.layer(routes, routerConfig))
