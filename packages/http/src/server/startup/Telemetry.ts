/**
 * Traces and metrics to an OTLP collector, when one is configured; otherwise no spans are made at all.
 */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as References from "effect/References"

/** The parameter that carries a key. */
const keyParameter = "apiKey"

/** Names in a trace are few: the route is an attribute, and the path is none of the name. */
const spanNames = Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => `HTTP ${request.method}`)

const probes: ReadonlySet<string> = new Set(["/health/live", "/health/ready", "/metrics"])

const withoutProbes = Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => {
  const [path = ""] = request.url.split("?", 1)
  return probes.has(path)
})

const withoutKeys = Layer.effect(
  UrlParams.CurrentRedactedNames,
  Effect.map(UrlParams.CurrentRedactedNames, (names) => [...names, keyParameter])
)

/** Loaded only when there is somebody to send to. */
const exporters = (endpoint: string, serviceVersion: string) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const [OtlpMetrics, OtlpSerialization, OtlpTracer] = await Promise.all([
        import("effect/observability/OtlpMetrics"),
        import("effect/observability/OtlpSerialization"),
        import("effect/observability/OtlpTracer")
      ])
      const resource = { serviceName: "holdfast", serviceVersion }
      return Layer.mergeAll(
        OtlpTracer.layer({ url: `${endpoint}/v1/traces`, resource }),
        OtlpMetrics.layer({ url: `${endpoint}/v1/metrics`, resource })
      ).pipe(Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer]))
    })
  )

const disabled = Layer.succeed(References.TracerEnabled, false)

/** `endpoint`: the collector's base URL (OTLP over HTTP), such as `http://127.0.0.1:4318`; undefined for none. */
export const layer = (endpoint: string | undefined, version: string): Layer.Layer<never> =>
  endpoint === undefined
    ? disabled
    : Layer.mergeAll(exporters(endpoint, version), spanNames, withoutProbes, withoutKeys)
