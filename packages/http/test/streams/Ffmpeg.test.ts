/**
 * The complete service with FFmpeg, from an upload to playable segments.
 */
import * as Neighbour from "@holdfast/testing/neighbour/Neighbour"
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Process from "../support/Process.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as ApiRequests from "../support/Requests.ts"
import * as StreamServer from "./support/StreamServer.ts"
import { makeVideo, run } from "./support/Videos.ts"

const copied = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "24"]

/** Downloads what a player loads, and returns its duration and width as ffprobe reports them. */
const probe = async (key: string, entry: string, addresses: ReadonlyArray<string>, base: string) => {
  const directory = await Process.makeDirectory()
  for (const address of addresses) {
    const answer = await fetch(new URL(address, `${base}/${entry}`))
    expect(answer.status).toBe(200)
    const [name = ""] = address.split("?")
    await Fs.writeFile(Path.join(directory, name), new Uint8Array(await answer.arrayBuffer()))
  }
  const text = await (await fetch(`${base}/${entry}?apiKey=${key}`)).text()
  await Fs.writeFile(Path.join(directory, entry), text.replaceAll(/\?apiKey=[\w-]+/g, ""))
  const shown = run(
    "ffprobe",
    "-v",
    "error",
    "-show_entries",
    "stream=width,codec_type:format=duration",
    "-of",
    "json",
    Path.join(directory, entry)
  )
  const { format, streams } = JSON.parse(shown) as {
    readonly format: { readonly duration: string }
    readonly streams: ReadonlyArray<{ readonly width?: number; readonly codec_type: string }>
  }
  return { duration: Number(format.duration), width: streams.find(({ width }) => width !== undefined)?.width }
}

const upload = async (bucket: ServiceBucket.ServiceBucket, content: Uint8Array<ArrayBuffer>): Promise<string> =>
  `${await ServiceBucket.uploadFile(bucket, "a.mp4", content)}/streams`

const timeout = { timeout: 480_000 }

const { describe } = Requires.requires(
  Requires.firstMissing(Requires.command("ffmpeg", "-version"), Requires.command("ffprobe", "-version"))
)

// Starting the service and ffmpeg takes seconds each, and longer on a busy machine.
describe("service with FFmpeg", () => {
  it(
    "MP4 → playable HLS and DASH, player page, poster, metrics; working directory is empty afterwards",
    timeout,
    async () => {
      const bucket = await ServiceBucket.start({ env: Process.converting })
      const streams = await upload(bucket, await makeVideo("192x108", 6, ...copied))
      const wait = { headers: { prefer: "wait=60" } }
      const hls = await bucket.api.post(`${streams}/hls`, wait)
      expect([hls.status, await hls.json()]).toEqual([
        200,
        expect.objectContaining({ state: "READY", renditions: [expect.objectContaining({ width: 192, height: 108 })] })
      ])
      const dash = await bucket.api.post(`${streams}/dash`, wait)
      expect([dash.status, await dash.json()]).toEqual([200, expect.objectContaining({ state: "READY" })])

      const playlist = await (await bucket.api.get(`${streams}/hls/playlist.m3u8`)).text()
      const segments = StreamServer.addresses(playlist)
      const key = StreamServer.keyIn(segments[0] ?? "")
      const played = await probe(key, "playlist.m3u8", segments, `${bucket.service.url}/api/v1${streams}/hls`)
      expect(played.width).toBe(192)
      expect(played.duration).toBeGreaterThan(5.8)

      const manifest = await (await bucket.api.get(`${streams}/dash/manifest.mpd`)).text()
      const dashKey = /apiKey=(hfp_[\w-]+)/.exec(manifest)?.[1] ?? ""
      expect(manifest.match(/(?:media|initialization)="[^"]*"/g)?.every((one) => one.includes(dashKey))).toBe(true)
      for (const name of ["init-0.m4s", "init-1.m4s", "chunk-0-1.m4s", "chunk-1-1.m4s"]) {
        const answer = await fetch(`${bucket.service.url}/api/v1${streams}/dash/${name}?apiKey=${dashKey}`)
        expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "video/mp4"])
      }
      // A worker makes them after the stream is READY. The request for the poster waits for it.
      const poster = await bucket.api.get(`${streams}/poster.jpg`)
      const [first, second] = new Uint8Array(await poster.arrayBuffer())
      expect([poster.headers.get("content-type"), first, second]).toEqual(["image/jpeg", 0xff, 0xd8])
      for (const format of ["hls", "dash"]) {
        const storyboard = async () => await (await bucket.api.get(`${streams}/${format}/storyboard.vtt`)).text()
        await expect
          .poll(storyboard, { timeout: 30_000 })
          .toMatch(/^storyboard0\.jpg\?apiKey=hfp_[\w-]+#xywh=320,0,160,90$/m)
        const sheet = await bucket.api.get(`${streams}/${format}/storyboard0.jpg`)
        expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, "image/jpeg"])
      }
      expect((await bucket.api.get(`${streams}/hls`, { headers: { accept: "text/html" } })).status).toBe(200)

      const readMetrics = async () => await (await fetch(`${bucket.service.url}/metrics`)).text()
      const metrics = await readMetrics()
      expect(metrics).toMatch(/^holdfast_conversions_finished_total(?:\{[^}]*\})? 2$/m)
      await expect.poll(() => Fs.readdir(Path.join(bucket.service.data, "conversions"))).toEqual([])

      // The key is valid after a restart: it is signed with the deployment's secret.
      await bucket.service.stop()
      const again = await Process.serve({ data: bucket.service.data, env: Process.converting })
      expect((await fetch(`${again.url}/api/v1${streams}/hls/index0.ts?apiKey=${key}`)).status).toBe(200)
      for (const output of [bucket.service, again]) {
        expect(output.stdout() + output.stderr()).not.toContain("hfp_")
      }
    }
  )

  it.each(["off", "auto"])("sandbox is %s → HLS is encoded, and DASH made of it", timeout, async (sandbox) => {
    const bucket = await ServiceBucket.start({ env: { ...Process.converting, HOLDFAST_FFMPEG_SANDBOX: sandbox } })
    const streams = await upload(bucket, await makeVideo("320x240", 2, "-c:v", "mpeg4", "-q:v", "5"))
    for (const format of ["hls", "dash"]) {
      const answer = await bucket.api.post(`${streams}/${format}`, { headers: { prefer: "wait=60" } })
      expect(await answer.json()).toMatchObject({ state: "READY", error: null })
    }
    for (const format of ["hls", "dash"]) {
      const storyboard = async () => await (await bucket.api.get(`${streams}/${format}/storyboard.vtt`)).text()
      await expect.poll(storyboard).toMatch(/^storyboard0\.jpg\?apiKey=hfp_[\w-]+#xywh=0,0,160,120$/m)
      const sheet = await bucket.api.get(`${streams}/${format}/storyboard0.jpg`)
      expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, "image/jpeg"])
    }
    expect((await bucket.api.get(`${streams}/poster.jpg`)).status).toBe(200)
    const found = bucket.service
      .stderr()
      .concat(bucket.service.stdout())
      .split("\n")
      .find((line) => line.includes("ffmpeg found"))
    if (sandbox === "off") expect(found).toMatch(/"sandbox":"none"/)
    const isRoot = process.getuid?.() === 0
    expect(found).toMatch(isRoot ? /"user":"65534:65534"/ : /"user":"that of the service"/)
  })

  it(
    "codec that players do not support, in both formats → several renditions, stored once; each plays without the other",
    timeout,
    async () => {
      const bucket = await ServiceBucket.start({ env: Process.converting })
      const streams = await upload(bucket, await makeVideo("640x480", 6, "-c:v", "mpeg4", "-q:v", "5"))
      const wait = { headers: { prefer: "wait=60" } }
      const streamBytes = async () => {
        const path = `${bucket.files.slice(0, -"/files".length)}/usage`
        const answer = await json<{ readonly usage: { readonly streamBytes: number } }>(await bucket.api.get(path))
        return answer.usage.streamBytes
      }
      /** Downloads a stream wholly, and decodes it. Returns its duration and width. */
      const play = async (format: "hls" | "dash") => {
        const base = `${bucket.service.url}/api/v1${streams}/${format}`
        if (format === "dash") {
          const manifest = await (await bucket.api.get(`${streams}/dash/manifest.mpd`)).text()
          const key = /apiKey=(hfp_[\w-]+)/.exec(manifest)?.[1] ?? ""
          const count = (id: number) => {
            const representation = manifest
              .slice(manifest.indexOf(`<Representation id="${id}"`))
              .split("</Representation>")[0]
            return [...(representation ?? "").matchAll(/<S [^>]*?(?: r="(\d+)")?\s*\/>/g)].reduce(
              (n, [, r = "0"]) => n + 1 + Number(r),
              0
            )
          }
          const names = [0, 1, 2, 3].flatMap((id) =>
            [`init-${id}.m4s`].concat(Array.from({ length: count(id) }, (_, index) => `chunk-${id}-${index + 1}.m4s`))
          )
          expect(names.length).toBeGreaterThan(12)
          return await probe(
            key,
            "manifest.mpd",
            names.map((name) => `${name}?apiKey=${key}`),
            base
          )
        }
        const variants = StreamServer.addresses(await (await bucket.api.get(`${streams}/hls/playlist.m3u8`)).text())
        const playlists = variants.map((address) => address.split("?")[0])
        expect(playlists.toSorted()).toEqual(["240p.m3u8", "360p.m3u8", "480p.m3u8"])
        const played: Array<Awaited<ReturnType<typeof probe>>> = []
        for (const variant of variants) {
          const [name = ""] = variant.split("?")
          const key = StreamServer.keyIn(variant)
          const answer = await fetch(`${base}/${variant}`)
          const segments = StreamServer.addresses(await answer.text())
          if (name === "360p.m3u8") expect(segments[0]).toMatch(/^360p\/index0\.ts\?apiKey=hfp_/)
          // The best rendition has its segments beside the playlists.
          if (name === "480p.m3u8") played.push(await probe(key, name, segments, base))
          for (const segment of segments) {
            const response = await fetch(new URL(segment, `${base}/${variant}`))
            const bytes = new Uint8Array(await response.arrayBuffer())
            expect([response.headers.get("content-type"), bytes.length % 188, bytes[0]]).toEqual([
              "video/mp2t",
              0,
              0x47
            ])
          }
        }
        return played[0]
      }
      expect(await (await bucket.api.post(`${streams}/hls`, wait)).json()).toMatchObject({
        state: "READY",
        renditions: [{ name: "480p" }, { name: "360p" }, { name: "240p" }]
      })
      const settled = () => bucket.api.get(`${streams}/hls/storyboard.vtt`)
      await expect.poll(async () => (await settled()).status, { timeout: 30_000 }).toBe(200)
      const before = await streamBytes()
      expect(before).toBeGreaterThan(0)
      expect(await (await bucket.api.post(`${streams}/dash`, wait)).json()).toMatchObject({
        state: "READY",
        renditions: [{ name: "480p" }, { name: "360p" }, { name: "240p" }]
      })
      expect(await streamBytes()).toBe(before)
      for (const format of ["hls", "dash"] as const) {
        const played = await play(format)
        expect(played?.width).toBe(640)
        expect(played?.duration).toBeGreaterThan(5.8)
      }
      expect((await bucket.api.delete(`${streams}/hls`)).status).toBe(204)
      expect((await bucket.api.get(`${streams}/hls/playlist.m3u8`)).status).toBe(404)
      expect(await streamBytes()).toBe(before)
      expect((await play("dash"))?.width).toBe(640)
      expect((await bucket.api.get(`${streams}/dash/storyboard.vtt`)).status).toBe(200)
      expect(await (await bucket.api.post(`${streams}/hls`, wait)).json()).toMatchObject({ state: "READY" })
      expect((await play("hls"))?.width).toBe(640)
      expect(await streamBytes()).toBe(before)
      for (const format of ["dash", "hls"]) expect((await bucket.api.delete(`${streams}/${format}`)).status).toBe(204)
      expect(await streamBytes()).toBe(0)
    }
  )

  it("FFmpeg is missing, encoded video is READY in one format → READY in the other", timeout, async () => {
    const bucket = await ServiceBucket.start({ env: Process.converting })
    const streams = await upload(bucket, await makeVideo("192x108", 2, "-c:v", "mpeg4"))
    const wait = { headers: { prefer: "wait=60" } }
    expect(await (await bucket.api.post(`${streams}/dash`, wait)).json()).toMatchObject({ state: "READY" })
    await bucket.service.stop()
    const env = { ...Process.converting, HOLDFAST_FFMPEG: "/nowhere/ffmpeg" }
    const { url } = await Process.serve({ data: bucket.service.data, env })
    const api = ApiRequests.make(`${url}/api/v1`, bucket.key)
    expect(await (await api.post(`${streams}/hls`, wait)).json()).toMatchObject({ state: "READY" })
    expect((await api.get(`${streams}/hls/index0.ts`)).status).toBe(200)
  })

  it(
    "long conversion of a tenant, clip of another → the clip is READY first, the long one complete, no read fails",
    timeout,
    async () => {
      // The fastest preset would finish both at once.
      const env = { ...Process.converting, HOLDFAST_VIDEO_PRESET: "veryfast", HOLDFAST_CONVERSION_SLICE: "1s" }
      const long = await ServiceBucket.start({ env })
      const other = await ServiceBucket.create(long.service, long.key, "other")
      const codec = ["-c:v", "mpeg4", "-q:v", "5"]
      const longStreams = await upload(long, await makeVideo("854x480", 30, ...codec))
      const clipStreams = await upload(other, await makeVideo("192x108", 6, ...codec))
      const small = await ServiceBucket.uploadFile(other, "a.txt", new TextEncoder().encode("Hello"))
      const state = async () =>
        (await json<{ readonly items: ReadonlyArray<StreamServer.Record> }>(await long.api.get(longStreams))).items[0]
          ?.state
      const convertBoth = async () => {
        expect((await long.api.post(`${longStreams}/hls`)).status).toBe(202)
        await expect.poll(state, { timeout: 30_000 }).toBe("RUNNING")
        const clip = await other.api.post(`${clipStreams}/hls`, { headers: { prefer: "wait=60" } })
        expect(await clip.json()).toMatchObject({ state: "READY" })
        expect(await state()).toBe("RUNNING")
        await expect.poll(state, { timeout: 100_000 }).toBe("READY")
      }
      const read = {
        url: `${long.service.url}/api/v1${small}/view`,
        headers: { "x-api-key": other.key },
        intervalMs: 100
      }
      const { neighbour } = await Effect.runPromise(Neighbour.observe(read, Effect.promise(convertBoth)))
      expect([neighbour.failures, neighbour.firstFailure]).toEqual([0, undefined])
      expect(neighbour.requests).toBeGreaterThan(0)
      const variants = StreamServer.addresses(await (await long.api.get(`${longStreams}/hls/playlist.m3u8`)).text())
      const best = await (
        await fetch(new URL(variants[0] ?? "", `${long.service.url}/api/v1${longStreams}/hls/`))
      ).text()
      expect(best).toContain("#EXT-X-ENDLIST")
      const seconds = [...best.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, duration]) => sum + Number(duration), 0)
      expect(seconds).toBeCloseTo(30, 0)
    }
  )

  it.each([
    ["FFmpeg is missing", { ...Process.converting, HOLDFAST_FFMPEG: "/nowhere/ffmpeg" }],
    ["no conversions are configured", { HOLDFAST_CONVERSIONS: "0" }]
  ])("%s → what can be packaged plays without a poster; 503 for the rest", timeout, async (_, env) => {
    const bucket = await ServiceBucket.start({ env })
    const { api } = bucket
    const streams = await upload(bucket, await makeVideo("64x64", 6, ...copied))
    const encode = { json: { mode: "transcode" } }
    await expectProblem(await api.post(`${streams}/hls`, encode), 503, "transcoder_unavailable")
    await expectProblem(await api.get(`${streams}/hls/playlist.m3u8`), 404, "stream_not_converted")
    for (const format of ["hls", "dash"]) {
      const packaged = await api.post(`${streams}/${format}`, { headers: { prefer: "wait=20" } })
      expect([packaged.status, await packaged.json()]).toEqual([200, expect.objectContaining({ state: "READY" })])
    }
    expect((await api.get(`${streams}/hls/index0.ts`)).status).toBe(200)
    await expectProblem(await api.get(`${streams}/poster.jpg`), 404, "not_found")
    const mpeg4 = await makeVideo("64x64", 6, "-c:v", "mpeg4")
    const other = `${await ServiceBucket.uploadFile(bucket, "b.mp4", mpeg4)}/streams`
    await expectProblem(await api.post(`${other}/hls`), 503, "transcoder_unavailable")
    await expectProblem(await api.get(`${other}/hls/playlist.m3u8`), 404, "stream_not_converted")
  })
})
