/**
 * The service's routes outside the API: probes, metrics and the reference.
 */
import type { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { Api } from "../../contract/Api.ts"
import type { Route } from "../../problems/AllowedMethods.ts"
import * as Docs from "./Docs.ts"
import * as Health from "./Health.ts"
import type { Backlog } from "../metrics/QueueDepthMetrics.ts"
import * as MetricsRoute from "../metrics/MetricsRoute.ts"

/** Their methods and paths. */
export const routes: ReadonlyArray<Route> = ["/health/live", "/health/ready", "/metrics", "/docs", "/openapi.json"].map(
  (path) => ({ method: "GET", path })
)

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | AccountRepository | Backlog | BlobStore> =
  Layer.mergeAll(Health.layer, Docs.layer(Api), MetricsRoute.layer)
