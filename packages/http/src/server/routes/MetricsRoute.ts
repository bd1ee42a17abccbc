/**
 * `GET /metrics`: the metrics in the text format of Prometheus.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { QueueDepthMetrics } from "../metrics/QueueDepthMetrics.ts"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | QueueDepthMetrics> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { refresh } = yield* QueueDepthMetrics
    const respond = Effect.map(Effect.andThen(refresh, PrometheusMetrics.format()), (body) =>
      HttpServerResponse.text(body, { contentType })
    )
    yield* router.add("GET", "/metrics", respond)
  })
)
