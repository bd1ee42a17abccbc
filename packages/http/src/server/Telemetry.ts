/**
 * Traces to an OTLP collector, when one is configured; otherwise no spans are made at all.
 */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as UrlParams from "effect/http/UrlParams"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as Layer from "effect/Layer"
import * as References from "effect/References"

/** The parameter that carries a key. */
const keyParameter = "apiKey"

/** Names in a trace are low in number: the route is an attribute, and the path stays out of the name. */
const spanNames = Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => `HTTP ${request.method}`)

const probes = new Set(["/health/live", "/health/ready", "/metrics"])

const withoutProbes = Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => {
  const [path = ""] = request.url.split("?", 1)
  return probes.has(path)
})

const withoutKeys = Layer.effect(
  UrlParams.CurrentRedactedNames,
  Effect.map(UrlParams.CurrentRedactedNames, (names) => [...names, keyParameter])
)

/** Loaded only when there is somebody to send to. */
const exporter = (url: string, serviceVersion: string) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const [OtlpTracer, OtlpSerialization] = await Promise.all([
        import("effect/observability/OtlpTracer"),
        import("effect/observability/OtlpSerialization")
      ])
      return OtlpTracer.layer({ url, resource: { serviceName: "holdfast", serviceVersion } }).pipe(
        Layer.provide(OtlpSerialization.layerJson),
        Layer.provide(FetchHttpClient.layer)
      )
    })
  )

export const disabled: Layer.Layer<never> = Layer.succeed(References.TracerEnabled, false)

/** `endpoint`: the collector's base URL (OTLP over HTTP), such as `http://127.0.0.1:4318`. */
export const layer = (endpoint: string, serviceVersion: string): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.effectDiscard(Effect.void).pipe(
      Layer.provideMerge(exporter(`${endpoint.replace(/\/+$/, "")}/v1/traces`, serviceVersion))
    ),
    spanNames,
    withoutProbes,
    withoutKeys
  )
