/**
 * Export of traces and metrics to an OTLP collector. Without one, no spans are created.
 */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as MaskKeys from "@holdfast/core/secrets/MaskKeys"
import { hostname } from "node:os"
import type { Config } from "../config/Config.ts"
import * as CollectorFetch from "./CollectorFetch.ts"
import type { WorkerProcess } from "../workers/WorkerProcess.ts"

/** The query parameter that carries an API key. */
const keyParameter = "apiKey"

/** Few different names, as tracing needs them: the route is an attribute of the span, and its name has no path. */
const spanNames = Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => `HTTP ${request.method}`)

const untracedPaths: ReadonlySet<string> = new Set(["/health/live", "/health/ready", "/metrics"])

const excludeUntraced = Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => {
  const [path = ""] = request.url.split("?", 1)
  return untracedPaths.has(path)
})

const redactKeys = Layer.effect(
  UrlParams.CurrentRedactedNames,
  Effect.map(UrlParams.CurrentRedactedNames, (names) => [...names, keyParameter])
)

/**
 * Encodes a batch for the collector, as Effect's serialization does, without keys. Effect redacts the parameter `apiKey` and the
 * headers for keys; a client may put a key into any other part of a URL, or into its `User-Agent`.
 */
const toBody = (data: unknown): HttpBody.HttpBody =>
  HttpBody.text(
    MaskKeys.mask(
      JSON.stringify(data, (_, value: unknown) =>
        // As the specification requires. JSON would write null.
        typeof value === "number" && !Number.isFinite(value) ? String(value) : value
      )
    ),
    "application/json"
  )

/** A collector would take the counters of several processes for one that jumps to and fro. */
const instanceOf = (worker: WorkerProcess | undefined): Readonly<Record<string, string>> =>
  worker === undefined ? {} : { "service.instance.id": `${hostname()}-${worker.number}-${process.pid}` }

/** Loads the exporters only when a collector is configured. */
const exporters = (
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  serviceVersion: string,
  worker: WorkerProcess | undefined
) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const [OtlpMetrics, OtlpSerialization, OtlpTracer] = await Promise.all([
        import("effect/observability/OtlpMetrics"),
        import("effect/observability/OtlpSerialization"),
        import("effect/observability/OtlpTracer")
      ])
      const resource = { serviceName: "holdfast", serviceVersion, attributes: instanceOf(worker) }
      return Layer.mergeAll(
        OtlpTracer.layer({ url: `${endpoint}/v1/traces`, headers, resource }),
        OtlpMetrics.layer({ url: `${endpoint}/v1/metrics`, headers, resource })
      ).pipe(
        Layer.provide([
          Layer.succeed(OtlpSerialization.OtlpSerialization, { traces: toBody, metrics: toBody, logs: toBody }),
          FetchHttpClient.layer,
          Layer.succeed(FetchHttpClient.Fetch, CollectorFetch.make())
        ])
      )
    })
  )

const disabled = Layer.succeed(References.TracerEnabled, false)

/** Sends to the collector of the settings; `otlpEndpoint` is its base URL (OTLP over HTTP), such as `http://127.0.0.1:4318`. */
export const layer = (
  { otlpEndpoint, otlpHeaders }: Pick<Config, "otlpEndpoint" | "otlpHeaders">,
  version: string,
  worker?: WorkerProcess
): Layer.Layer<never> => {
  if (otlpEndpoint === undefined) return disabled
  const headers = otlpHeaders === undefined ? {} : Redacted.value(otlpHeaders)
  return Layer.mergeAll(exporters(otlpEndpoint, headers, version, worker), spanNames, excludeUntraced, redactKeys)
}
