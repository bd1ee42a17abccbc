import * as Fs from "node:fs"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as ServiceBucket from "../support/ServiceBucket.ts"

const root = Path.join(import.meta.dirname, "../../../..")
const read = (path: string): string => Fs.readFileSync(Path.join(root, path), "utf8")

/** Returns the metrics in expressions. The series of a histogram have suffixes. */
const metricsIn = (text: string): ReadonlyArray<string> =>
  (text.match(/\b(?:holdfast|http|nodejs|process)_\w+/g) ?? []).map((name) =>
    name.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, "")
  )

/** Returns the names that modules declare as metrics. */
const declared = (): ReadonlySet<string> => {
  const text = ["packages/core/src/metrics", "packages/http/src/server/metrics", "packages/http/src/server/startup"]
    .flatMap((folder) => Fs.readdirSync(Path.join(root, folder)).map((name) => read(`${folder}/${name}`)))
    .join("\n")
  return new Set([...text.matchAll(/(?:Counter\.make|Metric\.\w+)\(\s*"(\w+)"/g)].map(([, name = ""]) => name))
}

/** Returns the value of a series by its name and some of its labels. */
const valueOf = (metrics: string, name: string, ...labels: ReadonlyArray<string>): number => {
  const line = metrics.split("\n").find((one) => one.startsWith(name) && labels.every((label) => one.includes(label)))
  return Number(line?.split(" ").at(-1))
}

const idOrKey = /[a-z]{3}_[0-9a-f]{8}-|hf_/

it("GET /metrics: after some requests → requests by route, bytes, uploads and process; no id and no key", async () => {
  const bucket = await ServiceBucket.start()
  const path = await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(100_000))
  await (await bucket.api.get(`${path}/view`)).arrayBuffer()
  await bucket.api.get(`/tenants/${bucket.key}`)
  await fetch(`${bucket.service.url}/nowhere/${bucket.key}?apiKey=${bucket.key}`)

  const metrics = await (await fetch(`${bucket.service.url}/metrics`)).text()
  const file = 'route="/api/v1/tenants/:tenantId/buckets/:bucketId/files/:fileId'
  expect(valueOf(metrics, "http_requests_total", `${file}/view"`, 'method="GET"', 'status="200"')).toBe(1)
  expect(valueOf(metrics, "http_requests_total", `${file}/reupload"`, 'method="POST"', 'status="200"')).toBe(1)
  expect(valueOf(metrics, "http_requests_total", 'route="unmatched"', 'status="404"')).toBe(1)
  expect(valueOf(metrics, "http_request_duration_seconds_count", `${file}/view"`)).toBe(1)
  expect(valueOf(metrics, "http_requests_in_flight")).toBe(1)
  expect(valueOf(metrics, "http_sent_bytes_total")).toBeGreaterThan(100_000)
  expect(valueOf(metrics, "http_received_bytes_total")).toBeGreaterThan(100_000)
  expect(valueOf(metrics, "holdfast_uploads_staged_total")).toBe(1)
  expect(valueOf(metrics, "holdfast_uploads_staged_bytes_total")).toBe(100_000)
  expect(valueOf(metrics, "holdfast_uploads_committed_total")).toBe(1)
  for (const name of [
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_open_fds",
    "process_max_fds",
    "process_start_time_seconds"
  ]) {
    expect(valueOf(metrics, name), name).toBeGreaterThan(0)
  }
  expect(valueOf(metrics, "nodejs_eventloop_lag_seconds")).toBeGreaterThanOrEqual(0)
  expect(metrics).not.toMatch(idOrKey)
})

it("GET /metrics: blob swept → counted", async () => {
  const bucket = await ServiceBucket.start({ env: { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s" } })
  const path = await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(10))
  expect((await bucket.api.delete(path)).status).toBe(204)
  for (;;) {
    const metrics = await (await fetch(`${bucket.service.url}/metrics`)).text()
    if (valueOf(metrics, "holdfast_sweeper_removed_total") === 1) break
  }
})

interface Line {
  readonly type: string
  readonly requestId: string
  readonly path: string
  readonly [name: string]: unknown
}

const linesOf = (output: string): ReadonlyArray<Line> =>
  output
    .split("\n")
    .filter((line) => line.startsWith('{"time"'))
    .map((line): Line => JSON.parse(line))
    .filter(({ type }) => type === "access")

it("access log: request → one line with the ids of account and key, without query and keys", async () => {
  const bucket = await ServiceBucket.start()
  const { key, service } = bucket
  const path = await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(100_000))
  const url = `${service.url}/api/v1${path}/view?apiKey=${key}`
  await (await fetch(url, { headers: { "x-request-id": "request-under-test" } })).arrayBuffer()
  const playbackKey = `hfp_${"A".repeat(132)}`
  await fetch(`${service.url}/${playbackKey}/x?apiKey=${playbackKey}`)
  await fetch(`${service.url}/${key}/x`, { headers: { "x-request-id": key, authorization: `Bearer ${key}` } })
  await service.stop()

  const [, afterTour = ""] = service.stdout().split(/reference: \S+\n/)
  const lines = linesOf(afterTour)
  const view = lines.find(({ requestId }) => requestId === "request-under-test")
  expect(view).toMatchObject({
    method: "GET",
    path: `/api/v1${path}/view`,
    route: "/api/v1/tenants/:tenantId/buckets/:bucketId/files/:fileId/view",
    status: 200,
    remoteAddress: "127.0.0.1",
    accountId: expect.stringMatching(/^acc_/),
    tokenId: expect.stringMatching(/^key_/),
    sent: expect.any(Number),
    received: expect.any(Number),
    ms: expect.any(Number),
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
  })
  expect(view?.["sent"]).toBeGreaterThan(100_000)
  expect(lines.at(-1)).not.toHaveProperty("accountId")
  expect(lines.at(-1)).toMatchObject({ path: "/hf_***/x", requestId: expect.stringMatching(/^req_/), status: 404 })
  expect(afterTour).not.toContain("apiKey")
  expect(lines.at(-2)).toMatchObject({ path: "/hfp_***/x" })
  expect(afterTour + service.stderr()).not.toContain(key)
  expect(afterTour + service.stderr()).not.toContain(playbackKey)
})

it("access log: --access-log=off → no lines", async () => {
  const { service } = await ServiceBucket.start({ args: ["--access-log=off"] })
  await service.stop()
  expect(linesOf(service.stdout())).toEqual([])
})

it("dashboard and alerts: each metric → is in /metrics after a request, or is declared and appears when it counts", async () => {
  const bucket = await ServiceBucket.start()
  const path = await ServiceBucket.uploadFile(bucket, "a.txt", new Uint8Array(10))
  await (await bucket.api.get(`${path}/view`)).arrayBuffer()
  const answer = await (await fetch(`${bucket.service.url}/metrics`)).text()
  const shown = new Set([...answer.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const named = new Set(["dashboard.json", "alerts.yaml"].flatMap((name) => metricsIn(read(`deploy/grafana/${name}`))))
  const absent = [...named].filter((name) => !shown.has(name))
  expect(named.size - absent.length).toBeGreaterThan(15)
  const known = declared()
  expect(absent.filter((name) => !known.has(name))).toEqual([])
})
