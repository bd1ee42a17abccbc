import { expect, it } from "vitest"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Collector from "../support/Collector.ts"

it("OTLP: collector configured → receives traces and metrics without keys", async () => {
  const { sent, url } = await Collector.start()
  const headers = "Authorization=Bearer%20secret, x-team=files"
  const bucket = await ServiceBucket.start({
    env: { HOLDFAST_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: headers }
  })
  const path = await ServiceBucket.uploadFile(bucket, "a.txt", new TextEncoder().encode("Hello"))
  const view = `${bucket.service.url}/api/v1${path}/view?apiKey=${bucket.key}&download=1`
  expect(await (await fetch(view, { headers: { authorization: `Bearer ${bucket.key}` } })).text()).toBe("Hello")
  await fetch(`${bucket.service.url}/health/live`)
  await bucket.service.stop()

  const traces = sent.filter((one) => one.path === "/v1/traces").map(({ body }) => body)
  const metrics = sent.filter((one) => one.path === "/v1/metrics").map(({ body }) => body)
  expect(traces.join()).toContain('"name":"HTTP GET"')
  expect(traces.join()).toContain("/api/v1/tenants/:tenantId/buckets/:bucketId/files/:fileId/view")
  expect(traces.join()).toContain("Uploads.reupload")
  expect(traces.join()).not.toContain("/health/live")
  expect(metrics.join()).toContain("http_requests_total")
  expect(traces.join() + metrics.join()).not.toContain(bucket.key)
  expect(sent.every((one) => one.headers.authorization === "Bearer secret" && one.headers["x-team"] === "files")).toBe(
    true
  )
})
