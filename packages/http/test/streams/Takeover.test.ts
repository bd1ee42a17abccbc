/**
 * Nodes that are stopped or killed while they convert: real processes of the service and of FFmpeg.
 */
import { firstMissing, requires } from "@holdfast/testing/Requires"
import { randomBytes } from "node:crypto"
import { readdirSync, readlinkSync } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Bucket from "../support/Bucket.ts"
import * as Ceph from "../support/Ceph.ts"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"
import { json } from "../support/Problems.ts"
import * as Requests from "../support/Requests.ts"
import * as Samples from "./support/Samples.ts"
import * as StreamServer from "./support/StreamServer.ts"

/** What is no longer needed goes soon. */
const hurry = { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s", HOLDFAST_ACCESS_LOG: "off" }

/** The real FFmpeg, but one that reads the video no faster than at so many times its speed. */
const slowFfmpeg = async (speed: number): Promise<string> => {
  const place = await Process.directory()
  const real = async (name: string) => (await Samples.run("/bin/sh", "-c", `command -v ${name}`)).trim()
  const ffmpeg = await real("ffmpeg")
  const script = `#!/bin/sh\ncase "$*" in *-progress*) exec ${ffmpeg} -readrate ${speed} "$@" ;; esac\nexec ${ffmpeg} "$@"\n`
  await Fs.writeFile(Path.join(place, "ffmpeg"), script, { mode: 0o755 })
  await Fs.symlink(await real("ffprobe"), Path.join(place, "ffprobe"))
  return Path.join(place, "ffmpeg")
}

/** How many processes work below a directory, by Linux's list of them. */
const processesIn = (directory: string): number =>
  readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readlinkSync(`/proc/${name}/cwd`).startsWith(directory)
    } catch {
      // It ended meanwhile, or belongs to somebody else.
      return false
    }
  }).length

const filesIn = async (directory: string): Promise<number> =>
  (await Fs.readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length

const patience = { timeout: 60_000, interval: 50 }

const counted = async (url: string, what: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^holdfast_conversions_${what}_total(?:\\{[^}]*\\})? (\\d+)`, "m").exec(metrics)?.[1] ?? 0)
}

const recordOf = async (api: Requests.Requests, streams: string) =>
  (await json<{ readonly items: ReadonlyArray<StreamServer.Record> }>(await api.get(streams))).items[0]

/** Waits until something of the stream is public. */
const halfway = (api: Requests.Requests, streams: string) =>
  expect.poll(async () => (await api.get(`${streams}/hls/index0.ts`)).status, patience).toBe(200)

const convert = async (api: Requests.Requests, streams: string): Promise<StreamServer.Record> => {
  const record = await json<StreamServer.Record>(await api.post(`${streams}/hls`, { headers: { prefer: "wait=60" } }))
  return record.state === "READY" || record.state === "FAILED" ? record : convert(api, streams)
}

/** The names of the segments of a stream that is whole. */
const segmentsOf = async (api: Requests.Requests, streams: string) => {
  const playlist = await (await api.get(`${streams}/hls/playlist.m3u8`)).text()
  expect(playlist).toContain("#EXT-X-ENDLIST")
  return StreamServer.addresses(playlist).map((address) => address.split("?")[0])
}

const segments = ["index0.ts", "index1.ts", "index2.ts", "index3.ts"]

/** The content, its segments and its still. */
const blobs = 1 + segments.length + 1

const missing = firstMissing(Samples.missing, process.platform === "linux" ? undefined : "this system has no /proc")

requires(missing).describe("a node that ends while it converts", () => {
  it(
    "gives the work back when it is stopped, is followed at once when it was killed, and can be told to end it",
    { timeout: 120_000 },
    async () => {
      const env = { ...hurry, HOLDFAST_FFMPEG: await slowFfmpeg(2) }
      const bucket = await Bucket.start({ env })
      const { data } = bucket.service
      const work = Path.join(data, "conversions")
      const content = await Samples.make(await Process.directory(), "foreign.mkv")
      const streams = `${await Bucket.put(bucket, "a.mkv", content)}/streams`
      const restart = async (more: Readonly<Record<string, string>>) => {
        const service = await Process.serve({ data, env: { ...hurry, ...more } })
        return { service, api: Requests.make(`${service.url}/api/v1`, bucket.key) }
      }

      // What is cancelled ends, with its program and its files.
      await bucket.api.post(`${streams}/hls`)
      await halfway(bucket.api, streams)
      expect((await bucket.api.delete(`${streams}/hls`)).status).toBe(204)
      await expect.poll(() => processesIn(work), patience).toBe(0)
      await expect.poll(() => Fs.readdir(work), patience).toEqual([])

      const asked = await Promise.all(Array.from({ length: 10 }, () => bucket.api.post(`${streams}/hls`)))
      expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 202))
      await halfway(bucket.api, streams)
      expect(await counted(bucket.service.url, "claimed")).toBe(2)
      expect(processesIn(work)).toBeGreaterThan(0)
      expect((await bucket.service.stop()).code).toBe(0)
      expect(processesIn(work)).toBe(0)
      expect(await Fs.readdir(work)).toEqual([])

      const idle = await restart({ HOLDFAST_CONVERSIONS: "0" })
      expect(await recordOf(idle.api, streams)).toMatchObject({ state: "QUEUED", progress: 0 })
      await idle.service.stop()

      const second = await restart(env)
      await halfway(second.api, streams)
      await second.service.stop("SIGKILL")
      await expect.poll(() => processesIn(work), patience).toBe(0)
      expect(await Fs.readdir(work)).toHaveLength(1)

      const third = await restart({})
      expect(await convert(third.api, streams)).toMatchObject({ state: "READY", error: null })
      expect(await counted(third.service.url, "finished")).toBe(1)
      expect(await segmentsOf(third.api, streams)).toEqual(segments)
      await expect.poll(() => Fs.readdir(work), patience).toEqual([])
      await expect.poll(() => filesIn(Path.join(data, "blobs")), patience).toBe(blobs)
      const fsck = await Process.run(["fsck", "--data-dir", data])
      expect(fsck.stdout).toBe(`${blobs} records, ${blobs} contents: 0 findings, 0 left.\n`)
    }
  )
})

requires(firstMissing(missing, Ceph.missing, Database.missing)).describe("two nodes", () => {
  let ceph: Ceph.Ceph
  let database: Database.Database

  beforeAll(async () => {
    ceph = await Ceph.start()
    database = await Database.start()
  }, 120_000)
  afterAll(async () => {
    await ceph.close()
    await database.close()
  })

  it("share conversions, and one takes over what the other was killed over", { timeout: 180_000 }, async () => {
    const contents = await ceph.makeBucket()
    const rootKey = (await Process.run(["keys", "generate"])).stdout.trim()
    const env = {
      ...hurry,
      DATABASE_URL: await database.create(),
      HOLDFAST_BLOBS: "s3",
      HOLDFAST_S3_BUCKET: contents.name,
      HOLDFAST_S3_ENDPOINT: ceph.endpoint,
      HOLDFAST_S3_FORCE_PATH_STYLE: "on",
      HOLDFAST_S3_ACCESS_KEY_ID: ceph.credentials.accessKeyId,
      HOLDFAST_S3_SECRET_ACCESS_KEY: ceph.credentials.secretAccessKey,
      HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64"),
      HOLDFAST_ROOT_KEY: rootKey
    }
    // It must not be done before the other node stands, however busy the machine is.
    const slow = { ...env, HOLDFAST_FFMPEG: await slowFfmpeg(0.5) }
    const first = await Process.serve({ env: slow })
    const api = Requests.make(`${first.url}/api/v1`, rootKey)
    const made = async (path: string, body: object) =>
      (await json<{ readonly id: string }>(await api.post(path, { json: body }))).id
    const tenantId = await made("/tenants", { name: "T", subdomain: "two" })
    const bucketId = await made(`/tenants/${tenantId}/buckets`, { name: "b" })
    const files = `/tenants/${tenantId}/buckets/${bucketId}/files`
    const place = { service: first, api, key: rootKey, tenantId, bucketId, files }
    const content = await Samples.make(await Process.directory(), "foreign.mkv")
    const streams = `${await Bucket.put(place, "a.mkv", content)}/streams`
    await api.post(`${streams}/hls`)
    await halfway(api, streams)

    const second = await Process.serve({ env })
    const other = Requests.make(`${second.url}/api/v1`, rootKey)
    const early = await (await other.get(`${streams}/hls/playlist.m3u8`)).text()
    const [address = ""] = StreamServer.addresses(early)
    await first.stop("SIGKILL")
    const work = Path.join(first.data, "conversions")
    await expect.poll(() => processesIn(work), patience).toBe(0)
    // What was public is served until another node begins anew.
    expect((await other.get(`${streams}/hls/${address}`, { key: null })).status).toBe(200)
    expect(await convert(other, streams)).toMatchObject({ state: "READY", error: null })
    expect([await counted(second.url, "claimed"), await counted(second.url, "finished")]).toEqual([1, 1])
    expect(await segmentsOf(other, streams)).toEqual(segments)
    // The key of whoever watched holds for what the other made.
    expect((await other.get(`${streams}/hls/${address}`, { key: null })).status).toBe(200)

    // The one that was killed comes back, and removes what it left on its disk.
    expect(await Fs.readdir(work)).toHaveLength(1)
    const again = await Process.serve({ env: slow, data: first.data })
    expect(await Fs.readdir(work)).toEqual([])
    expect(await recordOf(Requests.make(`${again.url}/api/v1`, rootKey), streams)).toMatchObject({ state: "READY" })
    await expect.poll(async () => (await contents.keys()).length, patience).toBe(blobs)
    await again.stop()
    await second.stop()
    const fsck = await Process.run(["fsck"], { env })
    expect(fsck.stdout).toBe(`${blobs} records, ${blobs} contents: 0 findings, 0 left.\n`)
  })
})
