/**
 * `GET /metrics`: the metrics in the text format of Prometheus; with several worker processes, their sum.
 */
import { QueueDepthMetrics } from "@holdfast/core/metrics/QueueDepthMetrics"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Makes what the route answers from the effect that reads the metrics of this process. */
export const CollectMetrics = Context.Reference<(own: Effect.Effect<string>) => Effect.Effect<string>>(
  "@holdfast/http/operator/CollectMetrics",
  { defaultValue: () => (own) => own }
)

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | QueueDepthMetrics> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { refresh } = yield* QueueDepthMetrics
    const collect = yield* CollectMetrics
    const own = Effect.andThen(refresh, PrometheusMetrics.format())
    const all = collect(Effect.provideContext(own, yield* Effect.context<never>()))
    yield* router.add(
      "GET",
      "/metrics",
      Effect.map(all, (body) => HttpServerResponse.text(body, { contentType }))
    )
  })
)
