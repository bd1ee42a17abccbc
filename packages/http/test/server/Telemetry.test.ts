import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import * as CollectorFetch from "../../src/server/compose/CollectorFetch.ts"
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

describe("OTLP: hostile collector", () => {
  /** Starts a collector; it is closed when the test ends. Returns its URL. */
  const start = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it("answer without end → its first bytes are read, and its connection is closed", async () => {
    let closed = 0
    const chunk = Buffer.alloc(64 * 1024, "a")
    const url = await start((request, response) => {
      request.resume()
      const send = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on("drain", send)
      response.on("close", () => closed++)
      send()
    })
    const { key, service } = await ServiceBucket.start({ env: { HOLDFAST_OTLP_ENDPOINT: url } })
    const headers = { authorization: `Bearer ${key}` }
    // As many spans as one export has, so that it does not wait for its interval.
    for (let batch = 0; batch < 25; batch++) {
      const requests = Array.from({ length: 20 }, () => fetch(`${service.url}/api/v1/tenants`, { headers }))
      await Promise.all(requests.map(async (request) => (await request).text()))
    }
    await expect.poll(() => closed, { timeout: 5000 }).toBeGreaterThan(0)
  })

  it.each([
    ["no answer", () => {}],
    ["an answer that never ends", (_request, response) => void response.writeHead(200).write("{")]
  ] satisfies ReadonlyArray<readonly [string, RequestListener]>)("%s → the request ends", async (_, listener) => {
    const request = CollectorFetch.make(100)(await start(listener), { method: "POST", body: "{}" })
    await expect(request).rejects.toThrow(/timeout/)
  })

  it("answer of a working collector → its status, and no body", async () => {
    const url = await start((_request, response) => void response.writeHead(202).end("{}"))
    const response = await CollectorFetch.make()(url)
    expect([response.status, await response.text()]).toEqual([202, ""])
  })
})
