/**
 * Nodes whose clocks are wrong: leases, grace periods and expiries are in the time of the database.
 */
import { requires } from "@holdfast/testing/Requires"
import { describe, expect, it } from "vitest"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as SharedStores from "../support/SharedStores.ts"
import * as ShiftedClock from "../support/ShiftedClock.ts"

const quiet = { HOLDFAST_ACCESS_LOG: "off", HOLDFAST_SWEEP_INTERVAL: "1s" }

/** Bound of each wait for a condition. */
const bound = { timeout: 60_000, interval: 50 }

const chunkSize = 10_000

/** Returns a body that sends a chunk every half second, for six seconds. */
const slowBody = (): ReadableStream<Uint8Array> => {
  let left = 12
  return new ReadableStream({
    pull: async (controller) => {
      controller.enqueue(new Uint8Array(chunkSize))
      if (--left === 0) return controller.close()
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  })
}

const binary = { "content-type": "application/octet-stream" }

/** Creates a file, and uploads a slow content to it. Returns the status. */
const uploadSlowly = async ({ api, files }: ServiceBucket.ServiceBucket, name: string): Promise<number> => {
  const { id } = await json<{ readonly id: string }>(await api.post(files, { json: { name } }))
  return (await api.post(`${files}/${id}/reupload`, { body: slowBody(), headers: binary })).status
}

const readiness = async (url: string) => {
  const answer = await fetch(`${url}/health/ready`)
  const { checks, detail } = await json<{ readonly checks: object; readonly detail?: string }>(answer)
  return { status: answer.status, checks, detail }
}

const metric = async (url: string, name: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "m").exec(metrics)?.[1])
}

/** Returns by how many minutes the clock of a node's machine is ahead, rounded. */
const skewOf = async (url: string): Promise<number> =>
  Math.round((await metric(url, "holdfast_clock_skew_seconds")) / 60) + 0 // no negative zero

/** Waits until a node has received the first chunks of some uploads. */
const untilReceiving = async (url: string, uploads: number): Promise<void> =>
  expect.poll(() => metric(url, "http_received_bytes_total"), bound).toBeGreaterThan(uploads * 2 * chunkSize)

requires(SharedStores.missing).describe("nodes on one PostgreSQL with different clocks", () => {
  const stores = SharedStores.useSharedStores()

  /** Makes the settings of nodes that share an empty database and an empty bucket. */
  const makeShared = async () => {
    const { blobs, env, rootKey } = await stores.make()
    return { blobs, env: { ...quiet, ...env, HOLDFAST_CONVERSIONS: "0", HOLDFAST_BLOB_GRACE: "5s" }, rootKey }
  }

  /** Starts nodes whose clocks are ahead of the database's by these minutes, and makes a bucket, which has an API on each node. */
  const startNodes = async (minutes: ReadonlyArray<number>, more: Readonly<Record<string, string>> = {}) => {
    const { blobs, env, rootKey } = await makeShared()
    const services = await Promise.all(
      minutes.map(async (ahead) => {
        const clock = await ShiftedClock.make(ahead)
        return { clock, service: await Process.serve({ env: { ...env, ...more, ...clock.env } }) }
      })
    )
    const [first] = services
    if (first === undefined) throw new Error("No node was started.")
    const bucket = await ServiceBucket.create(first.service, rootKey)
    const nodes = services.map(({ clock, service }) =>
      Object.assign({ clock }, bucket, { service, api: Requests.make(`${service.url}/api/v1`, rootKey) })
    )
    return { blobs, nodes, ...bucket }
  }

  const lenient = { HOLDFAST_MAX_CLOCK_SKEW: "1h" }

  type Nodes = Awaited<ReturnType<typeof startNodes>>

  const expectUploads = async ({ nodes }: Nodes): Promise<void> => {
    const statuses = await Promise.all(
      nodes.flatMap((node, index) => [1, 2, 3].map((count) => uploadSlowly(node, `${index}-${count}`)))
    )
    expect(statuses).toEqual(statuses.map(() => 200))
    expect(await Promise.all(nodes.map(({ service }) => skewOf(service.url)))).toEqual([0, 10, -10])
  }

  const expectGrace = async ({ blobs, nodes }: Nodes): Promise<void> => {
    const others = new Set(await blobs.keys())
    for (const [index, node] of nodes.entries()) {
      const path = await ServiceBucket.uploadFile(node, `${index}`, new Uint8Array(100))
      const replaced = (await blobs.keys()).find((key) => !others.has(key))
      if (replaced === undefined) throw new Error("The upload stored no object.")
      const begin = performance.now()
      expect((await node.api.post(`${path}/reupload`, { body: "new", headers: binary })).status).toBe(200)
      await expect.poll(async () => (await blobs.keys()).includes(replaced), bound).toBe(false)
      expect(performance.now() - begin).toBeGreaterThanOrEqual(5000)
      for (const key of await blobs.keys()) others.add(key)
    }
  }

  const expectExpiry = async ({ api, nodes, tenantId }: Nodes): Promise<void> => {
    const members = await json<{ readonly items: ReadonlyArray<{ readonly id: string }> }>(
      await api.get(`/tenants/${tenantId}/members`)
    )
    const created = await api.post(`/tenants/${tenantId}/tokens`, {
      json: { name: "t", member: members.items[0], expiresAt: new Date(Date.now() + 4000).toISOString() }
    })
    const { key } = await json<{ readonly key: string }>(created)
    const statuses = () => Promise.all(nodes.map(async ({ api, files }) => (await api.get(files, { key })).status))
    expect(await statuses()).toEqual([200, 200, 200])
    await expect.poll(statuses, bound).toContain(401)
    expect(await statuses()).toEqual([401, 401, 401])
  }

  it(
    "three nodes, 10 minutes apart: uploads of 6 s → none fails; content replaced → kept for its grace; token expires → refused by all",
    { timeout: 480_000 },
    async () => {
      const nodes = await startNodes([0, 10, -10], lenient)
      await expectUploads(nodes)
      await expectGrace(nodes)
      await expectExpiry(nodes)
    }
  )

  it(
    "clock 10 minutes ahead or behind, default limit → the service does not start, and says why",
    { timeout: 120_000 },
    async () => {
      const { env } = await makeShared()
      const start = async (minutes: number) => {
        const clock = await ShiftedClock.make(minutes)
        return Process.run(["serve", "--port", "0"], { env: { ...env, ...clock.env } })
      }
      const [ahead, behind] = await Promise.all([start(10), start(-10)])
      for (const [finished, side] of [
        [ahead, "600.0 s ahead of"],
        [behind, "600.0 s behind"]
      ] as const) {
        expect(finished.stderr).toMatch(
          new RegExp(`^holdfast: The clock of this machine is ${side} the database's;.*HOLDFAST_MAX_CLOCK_SKEW.\n$`)
        )
        expect(finished.code).toBe(1)
      }
    }
  )

  it(
    "clock steps after the start → not ready, uploads through all nodes succeed; stepped back → ready",
    { timeout: 120_000 },
    async () => {
      const { nodes } = await startNodes([0, 0])
      const [stepping, other] = nodes
      if (stepping === undefined || other === undefined) throw new Error("Two nodes are needed.")
      const uploads = [uploadSlowly(stepping, "own"), uploadSlowly(other, "other")]
      await untilReceiving(stepping.service.url, 1)
      await untilReceiving(other.service.url, 1)
      await stepping.clock.step(stepping.service, 10)
      await expect.poll(async () => (await readiness(stepping.service.url)).status, bound).toBe(503)
      expect(await readiness(stepping.service.url)).toMatchObject({
        detail: "Not ready: clock.",
        checks: { metadata: "ok", blobs: "ok", clock: "clock_skew" }
      })
      expect((await readiness(other.service.url)).status).toBe(200)
      uploads.push(uploadSlowly(stepping, "own 2"), uploadSlowly(other, "other 2"))
      expect(await Promise.all(uploads)).toEqual([200, 200, 200, 200])
      await stepping.clock.step(stepping.service, 0)
      await expect.poll(async () => (await readiness(stepping.service.url)).status, bound).toBe(200)
    }
  )
})

describe("one node on SQLite whose clock steps", () => {
  it.each([10, -10])(
    "by %i minutes while contents are uploaded → they are stored; the service stays ready",
    { timeout: 60_000 },
    async (minutes) => {
      const clock = await ShiftedClock.make(0)
      const bucket = await ServiceBucket.start({ env: { ...quiet, HOLDFAST_CONVERSIONS: "0", ...clock.env } })
      const uploads = [1, 2, 3].map((count) => uploadSlowly(bucket, String(count)))
      await untilReceiving(bucket.service.url, uploads.length)
      await clock.step(bucket.service, minutes)
      await expect.poll(() => skewOf(bucket.service.url), bound).toBe(minutes)
      uploads.push(uploadSlowly(bucket, "later"))
      expect(await Promise.all(uploads)).toEqual([200, 200, 200, 200])
      expect((await readiness(bucket.service.url)).status).toBe(200)
      expect(bucket.service.stderr()).toContain("clock of the machine stepped")
    }
  )
})
