/**
 * Nodes that are stopped or killed while they convert: real processes of the service and of FFmpeg.
 */
import { firstMissing, requires } from "@holdfast/testing/Requires"
import { readdirSync, readlinkSync } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import { json } from "../support/Problems.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as SharedStores from "../support/SharedStores.ts"
import * as ShiftedClock from "../support/ShiftedClock.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"
import * as Samples from "./support/Samples.ts"
import * as StreamServer from "./support/StreamServer.ts"

/** The service sweeps DOOMED blobs within seconds. */
const fastSweep = {
  ...Process.converting,
  HOLDFAST_BLOB_GRACE: "1s",
  HOLDFAST_SWEEP_INTERVAL: "1s",
  HOLDFAST_ACCESS_LOG: "off"
}

/** How many times faster than real time the limited ffmpeg reads. */
const readRate = 8

/**
 * Makes a wrapper of ffmpeg that limits the read rate of conversions. It finishes the first segment of `gap.mkv` within
 * seconds and then waits in the gap of the timestamps for `gapSeconds / readRate` = 1000 seconds, so that a conversion is
 * half done for as long as a test needs.
 */
const limitedFfmpeg = async (): Promise<string> => {
  const directory = await Process.makeDirectory()
  const find = async (name: string) => (await Samples.run("/bin/sh", "-c", `command -v ${name}`)).trim()
  const ffmpeg = await find("ffmpeg")
  const script = `#!/bin/sh\ncase "$*" in *"-f dash"*) exec ${ffmpeg} -readrate ${readRate} "$@" ;; esac\nexec ${ffmpeg} "$@"\n`
  await Fs.writeFile(Path.join(directory, "ffmpeg"), script, { mode: 0o755 })
  await Fs.symlink(await find("ffprobe"), Path.join(directory, "ffprobe"))
  return Path.join(directory, "ffmpeg")
}

/** Counts the processes whose working directory is below a directory, from /proc. */
const processesIn = (directory: string): number =>
  readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readlinkSync(`/proc/${name}/cwd`).startsWith(directory)
    } catch {
      // The process has exited, or belongs to another user.
      return false
    }
  }).length

const filesIn = async (directory: string): Promise<number> =>
  (await Fs.readdir(directory, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && !StoreIdentity.isIdentity(`${entry.parentPath}/`)
  ).length

/** Bound of each wait for a condition. Far more than an idle machine needs; a loaded one may need much of it. */
const bound = { timeout: 60_000, interval: 50 }

const metric = async (url: string, name: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^holdfast_conversions_${name}_total(?:\\{[^}]*\\})? (\\d+)`, "m").exec(metrics)?.[1] ?? 0)
}

const recordOf = async (api: Requests.Requests, streams: string) =>
  (await json<{ readonly items: ReadonlyArray<StreamServer.Record> }>(await api.get(streams))).items[0]

/** Waits until the first segment is public. The conversion is RUNNING then, and remains so. */
const awaitFirstSegment = async (api: Requests.Requests, streams: string): Promise<void> => {
  await expect.poll(async () => (await api.get(`${streams}/hls/index0.ts`)).status, bound).toBe(200)
  expect(await recordOf(api, streams)).toMatchObject({ state: "RUNNING" })
}

const convert = async (api: Requests.Requests, streams: string): Promise<StreamServer.Record> => {
  const record = await json<StreamServer.Record>(await api.post(`${streams}/hls`, { headers: { prefer: "wait=60" } }))
  return record.state === "READY" || record.state === "FAILED" ? record : convert(api, streams)
}

/** Returns the names of the segments of a complete stream. */
const segmentsOf = async (api: Requests.Requests, streams: string) => {
  const playlist = await (await api.get(`${streams}/hls/playlist.m3u8`)).text()
  expect(playlist).toContain("#EXT-X-ENDLIST")
  return StreamServer.addresses(playlist).map((address) => address.split("?")[0])
}

/** Of 16 seconds and the gap: the first ones last 1, 1 and 2 seconds, and the fourth one lasts until after the gap. */
const segments = Array.from({ length: 6 }, (_, index) => `index${index}.ts`)

/** The sound lasts 16 seconds, all before the end of the gap. It has four segments, and two of silence. */
const audioSegments = 6

/** Sheets of the storyboard: 25 pictures each, of at most a hundred. */
const sheets = 4

/** What the segments are made of: one of video for each, those of audio, two initialization segments, and the tracks. */
const stored = segments.length + audioSegments + 2 + 1

/** The content, what its segments are made of, its poster and its storyboard. */
const blobs = 1 + stored + 1 + sheets

/**
 * Waits until fsck counts `blobs` contents and as many records. The sweep removes the record of a content after the content,
 * and the record of an upload that was killed after its lease of two minutes.
 */
const awaitConsistency = (command: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  expect
    .poll(async () => (await Process.run(command, { env })).stdout, { timeout: 180_000, interval: 500 })
    .toBe(`${blobs} records, ${blobs} contents: 0 findings, 0 not repaired.\n`)

const missing = firstMissing(Samples.missing, process.platform === "linux" ? undefined : "this system has no /proc")

requires(missing).describe("node with a running conversion", () => {
  /** Starts a service with limited ffmpeg and uploads `gap.mkv`. */
  const start = async () => {
    const env = { ...fastSweep, HOLDFAST_FFMPEG: await limitedFfmpeg() }
    const bucket = await ServiceBucket.start({ env })
    const content = await Samples.make(await Process.makeDirectory(), "gap.mkv")
    const streams = `${await ServiceBucket.uploadFile(bucket, "a.mkv", content)}/streams`
    const { data } = bucket.service
    const work = Path.join(data, "conversions")
    return { bucket, data, env, streams, work }
  }

  it("conversion is cancelled → its process and files are removed", { timeout: 180_000 }, async () => {
    const { bucket, streams, work } = await start()
    await bucket.api.post(`${streams}/hls`)
    await awaitFirstSegment(bucket.api, streams)
    expect(processesIn(work)).toBeGreaterThan(0)
    expect((await bucket.api.delete(`${streams}/hls`)).status).toBe(204)
    await expect.poll(() => processesIn(work), bound).toBe(0)
    await expect.poll(() => Fs.readdir(work), bound).toEqual([])
    expect(await recordOf(bucket.api, streams)).toBeUndefined()
  })

  it(
    "node is stopped, then killed four times → no process is left, and the next start converts again at once",
    { timeout: 480_000 },
    async () => {
      const { bucket, data, env, streams, work } = await start()
      const restart = async (more: Readonly<Record<string, string>>) => {
        const service = await Process.serve({ data, env: { ...fastSweep, ...more } })
        return { service, api: Requests.make(`${service.url}/api/v1`, bucket.key) }
      }

      // Stop: the conversion is released.
      const requested = await Promise.all(Array.from({ length: 10 }, () => bucket.api.post(`${streams}/hls`)))
      expect(requested.map(({ status }) => status)).toEqual(requested.map(() => 202))
      await awaitFirstSegment(bucket.api, streams)
      expect(await metric(bucket.service.url, "claimed")).toBe(1)
      expect(processesIn(work)).toBeGreaterThan(0)
      expect((await bucket.service.stop()).code).toBe(0)
      expect(processesIn(work)).toBe(0)
      expect(await Fs.readdir(work)).toEqual([])
      const idle = await restart({ HOLDFAST_CONVERSIONS: "0" })
      expect(await recordOf(idle.api, streams)).toMatchObject({ state: "QUEUED", progress: 0 })
      await idle.service.stop()

      // Kill, more often than a conversion may fail: ffmpeg is killed with the service; the workspace is left.
      for (let kill = 0; kill < 4; kill++) {
        const killed = await restart(env)
        // Until this claim, the segments of the one before are public.
        await expect.poll(() => metric(killed.service.url, "claimed"), bound).toBe(1)
        await awaitFirstSegment(killed.api, streams)
        await killed.service.stop("SIGKILL")
        await expect.poll(() => processesIn(work), bound).toBe(0)
        expect(await Fs.readdir(work)).toHaveLength(1)
      }

      // Restart without a limit: the conversion finishes, and everything else is removed.
      const third = await restart({})
      expect(await convert(third.api, streams)).toMatchObject({ state: "READY", error: null })
      expect(await metric(third.service.url, "finished")).toBe(1)
      expect(await segmentsOf(third.api, streams)).toEqual(segments)
      await expect.poll(() => Fs.readdir(work), bound).toEqual([])
      await expect.poll(() => filesIn(Path.join(data, "blobs")), bound).toBe(blobs)
      await awaitConsistency(["fsck", "--data-dir", data])
    }
  )
})

requires(firstMissing(missing, SharedStores.missing)).describe("two nodes, clocks 20 minutes apart", () => {
  const stores = SharedStores.useSharedStores()

  it("converting node is killed → the other node takes over after the lease", { timeout: 480_000 }, async () => {
    const { blobs: contents, env: shared, rootKey } = await stores.make()
    const env = { ...fastSweep, ...shared, HOLDFAST_MAX_CLOCK_SKEW: "1h" }
    const [ahead, behind] = [await ShiftedClock.make(10), await ShiftedClock.make(-10)]
    const limited = { ...env, ...ahead.env, HOLDFAST_FFMPEG: await limitedFfmpeg() }
    const first = await Process.serve({ env: limited })
    const bucket = await ServiceBucket.create(first, rootKey)
    const { api } = bucket
    const content = await Samples.make(await Process.makeDirectory(), "gap.mkv")
    const streams = `${await ServiceBucket.uploadFile(bucket, "a.mkv", content)}/streams`
    await api.post(`${streams}/hls`)
    await awaitFirstSegment(api, streams)

    const second = await Process.serve({ env: { ...env, ...behind.env } })
    const other = Requests.make(`${second.url}/api/v1`, rootKey)
    const early = await (await other.get(`${streams}/hls/playlist.m3u8`)).text()
    const [address = ""] = StreamServer.addresses(early)
    await first.stop("SIGKILL")
    const killedAt = performance.now()
    // What was public is served until the other node claims the conversion, which is when the lease expires.
    expect((await other.get(`${streams}/hls/${address}`, { key: null })).status).toBe(200)
    const work = Path.join(first.data, "conversions")
    await expect.poll(() => processesIn(work), bound).toBe(0)
    // A lease of 30 s, which the node renewed at most 10 s before its end, and a poll of one second.
    await expect.poll(() => metric(second.url, "claimed"), bound).toBe(1)
    expect(performance.now() - killedAt).toBeLessThan(35_000)
    expect(await convert(other, streams)).toMatchObject({ state: "READY", error: null })
    expect([await metric(second.url, "claimed"), await metric(second.url, "finished")]).toEqual([1, 1])
    expect(await segmentsOf(other, streams)).toEqual(segments)
    // A playback key that was issued before is valid for the output of the other node.
    expect((await other.get(`${streams}/hls/${address}`, { key: null })).status).toBe(200)

    // The killed node is started again, and removes the workspace that it left.
    expect(await Fs.readdir(work)).toHaveLength(1)
    const again = await Process.serve({ env: limited, data: first.data })
    expect(await Fs.readdir(work)).toEqual([])
    expect(await recordOf(Requests.make(`${again.url}/api/v1`, rootKey), streams)).toMatchObject({ state: "READY" })
    await expect.poll(async () => (await contents.keys()).length, bound).toBe(blobs)
    await awaitConsistency(["fsck"], env)
    await again.stop()
    await second.stop()
  })
})
