/**
 * The metrics of pending work, from running services.
 */
import { requires } from "@holdfast/testing/Requires"
import { expect, it } from "vitest"
import * as MirrorRequests from "../mirrors/MirrorRequests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Collector from "../support/Collector.ts"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as SharedStores from "../support/SharedStores.ts"

const scrape = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/metrics`)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"])
  return answer.text()
}

/** Returns the gauges of pending work by name. They have no labels. */
const gauges = (metrics: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Array.from(
      metrics.matchAll(
        /^holdfast_((?:conversions|mirrors|webhooks)_(?:queued|leased|pending_\w+|failing|lag_seconds)) (\S+)$/gm
      ),
      ([, name = "", value]) => [name, Number(value)]
    )
  )

const noWork = {
  conversions_queued: 0,
  conversions_leased: 0,
  mirrors_pending_files: 0,
  mirrors_failing: 0,
  mirrors_lag_seconds: 0,
  webhooks_pending_deliveries: 0
}

it(
  "GET /metrics: a mirror fails → its pending files and their age, and the number of failing mirrors",
  { timeout: 120_000 },
  async () => {
    const idle = await Process.serve()
    expect(gauges(await scrape(idle.url))).toEqual(noWork)

    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "target")
    await MirrorRequests.upload(source, { name: "a" }, "a")
    await MirrorRequests.upload(source, { name: "b" }, "b")
    // This key has no permission to write.
    const apiKey = await MirrorRequests.createKey(target, "File Reader")
    const answer = await source.api.post(source.mirrors, {
      json: { ...MirrorRequests.mirrorToTenant(target), apiKey },
      query: { verify: "false" }
    })
    const { stats } = await MirrorRequests.untilInState(
      source,
      (await json<MirrorRequests.Mirror>(answer)).id,
      "FAILING"
    )

    const metrics = await scrape(source.service.url)
    expect(gauges(metrics)).toEqual({
      ...noWork,
      mirrors_pending_files: 2,
      mirrors_failing: 1,
      mirrors_lag_seconds: expect.any(Number)
    })
    expect(gauges(metrics)["mirrors_lag_seconds"]).toBeGreaterThanOrEqual(stats.lagSeconds)
    expect(metrics).toMatch(
      /^# HELP holdfast_mirrors_pending_files .* at most 5000 are counted\. The whole deployment/m
    )
    expect(metrics).toMatch(/^# TYPE holdfast_mirrors_pending_files gauge$/m)
  }
)

it("OTLP: collector configured → queue depths pushed without a request for /metrics", { timeout: 60_000 }, async () => {
  const { sent, url } = await Collector.start()
  const service = await Process.serve({ env: { HOLDFAST_OTLP_ENDPOINT: url } })
  const metrics = () => sent.flatMap(({ body, path }) => (path === "/v1/metrics" ? [body] : [])).join()
  await expect.poll(metrics, { timeout: 40_000 }).toContain("holdfast_mirrors_lag_seconds")
  await service.stop()
})

requires(SharedStores.missing).describe("GET /metrics with PostgreSQL", () => {
  const stores = SharedStores.useSharedStores()

  it(
    "database stopped and started again → queue depths alike on every node, absent in between",
    { timeout: 120_000 },
    async () => {
      const { env: shared, rootKey } = await stores.make()
      const env = { ...shared, HOLDFAST_CONVERSIONS: "0" }
      const bucket = await ServiceBucket.create(await Process.serve({ env }), rootKey)
      const nodes = [bucket.service, await Process.serve({ env }), await Process.serve({ env })] as const
      const path = await ServiceBucket.uploadFile(bucket, "a.mp4", new Uint8Array(1000))
      expect((await bucket.api.post(`${path}/streams/hls`)).status).toBe(202)
      for (const node of [nodes[0], nodes[1]]) {
        expect(gauges(await scrape(node.url))).toEqual({ ...noWork, conversions_queued: 1 })
      }

      await stores.database().stop()
      // The third node has read no value before, so it reports the failures only.
      const withoutDatabase = await scrape(nodes[2].url)
      expect(gauges(withoutDatabase)).toEqual({})
      for (const operation of ["conversions\\.queueDepth", "mirrors\\.queueDepth"]) {
        const failures = `^holdfast_metadata_errors_total\\{operation="${operation}",reason="Unavailable"\\} 1$`
        expect(withoutDatabase).toMatch(new RegExp(failures, "m"))
      }
      const later = { timeout: 30_000, interval: 200 }
      await expect.poll(async () => gauges(await scrape(nodes[0].url)), later).toEqual({})
      await stores.database().start()
      for (const node of nodes) {
        await expect
          .poll(async () => gauges(await scrape(node.url)), later)
          .toEqual({ ...noWork, conversions_queued: 1 })
      }
      for (const node of nodes)
        expect(node.stderr() + node.stdout()).not.toContain(new URL(shared.DATABASE_URL).password)
    }
  )
})
