/**
 * `GET /metrics`: the metrics in the text format of Prometheus; with several worker processes, their sum.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as MergedMetrics from "../metrics/MergedMetrics.ts"
import { QueueDepthMetrics } from "../metrics/QueueDepthMetrics.ts"
import { CurrentChannel } from "../workers/WorkerChannel.ts"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | QueueDepthMetrics> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { refresh } = yield* QueueDepthMetrics
    const own = Effect.andThen(refresh, PrometheusMetrics.format())
    const channel = yield* CurrentChannel
    channel?.reportBy(Effect.provideContext(own, yield* Effect.context<never>()))
    const all = channel === undefined ? own : Effect.map(channel.collect, MergedMetrics.merge)
    const respond = Effect.map(all, (body) => HttpServerResponse.text(body, { contentType }))
    yield* router.add("GET", "/metrics", respond)
  })
)
