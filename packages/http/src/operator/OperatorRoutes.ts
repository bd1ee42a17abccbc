/**
 * The routes for operators: health and metrics. They need no key.
 */
import type { Health } from "@holdfast/core/deployment/Health"
import type { QueueDepthMetrics } from "@holdfast/core/metrics/QueueDepthMetrics"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import type { Route } from "../problems/AllowedMethods.ts"
import * as HealthRoutes from "./HealthRoutes.ts"
import * as MetricsRoute from "./MetricsRoute.ts"

/** The methods and paths of these routes. */
export const routes: ReadonlyArray<Route> = ["/health/live", "/health/ready", "/metrics"].map((path) => ({
  method: "GET",
  path
}))

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Health | QueueDepthMetrics> = Layer.merge(
  HealthRoutes.layer,
  MetricsRoute.layer
)
