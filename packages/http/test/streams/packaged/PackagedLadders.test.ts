/**
 * Lower renditions of packaged video, which both formats have.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import * as Process from "../../support/Process.ts"
import type * as TestServer from "../../support/TestServer.ts"
import * as LadderServer from "./support/LadderServer.ts"

interface Packet {
  readonly pts_time: string
  readonly dts_time: string
  readonly data_hash: string
}

/** Returns the packets of a track of a file. */
const packets = async (bytes: Uint8Array, track: "a" | "v"): Promise<ReadonlyArray<Packet>> => {
  const path = Path.join(await Process.makeDirectory(), "a.ts")
  Fs.writeFileSync(path, bytes)
  const options = `-v error -select_streams ${track} -show_packets -show_data_hash md5 -of json`
  const output = await LadderServer.run("ffprobe", ...options.split(" "), path)
  return (JSON.parse(output) as { readonly packets: ReadonlyArray<Packet> }).packets
}

/** Returns how many frames are decoded of a track, and fails if FFmpeg warns of one. */
const decoded = async (input: string, track: string): Promise<number> => {
  const options = ["-v", "error", "-xerror", "-i", input, "-map", track, "-f", "framemd5", "-"]
  return (await LadderServer.run("ffmpeg", ...options)).split("\n").filter((line) => /^\d/.test(line)).length
}

const segments = [0, 1, 2, 3]

vi.setConfig({ testTimeout: 240_000 })

Requires.requires(LadderServer.missing).describe("lower renditions of packaged video", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await LadderServer.start()
  }, 60_000)
  afterAll(async () => {
    await server.close()
    vi.resetConfig()
  })

  it("second format, requested after the ladder → READY with it, without further bytes", async () => {
    const made = await LadderServer.upload(server)
    expect(await made.request("hls")).toMatchObject({ state: "READY" })
    await made.joined("hls")
    await made.settled("hls")
    const before = await made.streamBytes()
    const dash = await made.request("dash")
    expect(dash).toMatchObject({ state: "READY", renditions: [{ name: "360p" }, { name: "240p" }] })
    expect(await made.streamBytes()).toBe(before)
    expect(await made.statusOf("hls/240p/index4.ts")).toBe(200)
    expect(await made.statusOf("hls/240p/index5.ts")).toBe(404)
    expect(await made.statusOf("hls/480p/index0.ts")).toBe(404)
    expect(await made.statusOf("dash/240p/chunk6.m4s")).toBe(404)
  })

  it("both formats requested at once → the ladder joins both, in one publication", async () => {
    const made = await LadderServer.upload(server)
    const [hls, dash] = [await made.request("hls"), await made.request("dash")]
    expect([hls.state, dash.state]).toEqual(["READY", "READY"])
    for (const format of ["hls", "dash"] as const) await made.joined(format)
    const playlist = (await made.text("hls/playlist.m3u8")).replaceAll(/\?apiKey=[\w-]+/g, "")
    expect(playlist.match(/^[^#\n].*$/gm)?.toSorted()).toEqual(["240p.m3u8", "360p.m3u8"])
    expect(playlist).toMatch(/^#EXT-X-I-FRAME-STREAM-INF:.*URI="iframes\.m3u8"$/m)
    expect(playlist).toMatch(/RESOLUTION=426x240,FRAME-RATE=24\.000,CODECS="avc1\.[0-9a-f]{6},mp4a\.40\.2"/)
    expect(await made.text("hls/240p.m3u8")).toContain("\n240p/index4.ts?")
    const manifest = await made.text("dash/manifest.mpd")
    expect(manifest).toMatch(/<Representation id="240p" mimeType="video\/mp4" codecs="avc1\.[0-9a-f]{6}"/)
    expect(manifest.match(/<AdaptationSet /g)).toHaveLength(2)

    expect(await decoded(await made.address("hls/240p.m3u8"), "0:v:0")).toBe(240)
    expect(await decoded(await made.address("hls/360p.m3u8"), "0:v:0")).toBe(240)
    expect(await decoded(await made.address("dash/manifest.mpd"), "0:v:1")).toBe(240)
    // BANDWIDTH is that of the segments of HLS, with audio.
    const [, lower] = (await made.request("hls")).renditions
    const sizes = await Promise.all(
      [0, 1, 2, 3, 4].map(async (n) => (await made.bytes(`hls/240p/index${n}.ts`)).length)
    )
    const average = (8 * sizes.reduce((sum, size) => sum + size, 0)) / 10
    expect(Math.abs((lower?.bitrate ?? 0) / average - 1)).toBeLessThan(0.01)
    expect(playlist).toContain(`AVERAGE-BANDWIDTH=${lower?.bitrate},RESOLUTION=426x240`)
    const [, bandwidth] = /<Representation id="240p"[^>]* bandwidth="(\d+)"/.exec(manifest) ?? []
    const [, peak] = /:BANDWIDTH=(\d+),AVERAGE-BANDWIDTH=\d+,RESOLUTION=426x240/.exec(playlist) ?? []
    expect(Number(peak)).toBeGreaterThan(Number(bandwidth) + 60_000)
  })

  it("HLS: segments of both sizes → the same audio, and the same times of frames, in each", async () => {
    const made = await LadderServer.upload(server)
    await made.request("dash")
    await made.joined("dash")
    expect(await made.request("hls")).toMatchObject({ state: "READY" })
    const switched: Array<Buffer> = []
    for (const number of segments) {
      const best = await made.bytes(`hls/index${number}.ts`)
      const lower = await made.bytes(`hls/240p/index${number}.ts`)
      expect(lower.length % 188).toBe(0)
      switched.push(number % 2 === 0 ? best : lower)
      const timesOf = (all: ReadonlyArray<Packet>) =>
        all.map(({ pts_time }) => Number(pts_time)).toSorted((a, b) => a - b)
      const [sound, lowerSound] = [await packets(best, "a"), await packets(lower, "a")]
      expect(lowerSound.map(({ data_hash }) => data_hash)).toEqual(sound.map(({ data_hash }) => data_hash))
      expect(timesOf(lowerSound)).toEqual(timesOf(sound))
      const [frames, lowerFrames] = [timesOf(await packets(best, "v")), timesOf(await packets(lower, "v"))]
      expect(lowerFrames).toHaveLength(frames.length)
      for (const [index, time] of frames.entries()) expect(lowerFrames[index]).toBeCloseTo(time, 3)
      if (number === 0) expect(lowerFrames[0]).toBeCloseTo(1.4, 3)
      for (const { dts_time, pts_time } of await packets(lower, "v")) {
        expect(Number(dts_time)).toBeLessThanOrEqual(Number(pts_time))
      }
    }
    // A player that changes between the sizes with each segment has frames at equal intervals, and all packets of audio.
    const whole = Buffer.concat(switched)
    const frames = (await packets(whole, "v")).map(({ pts_time }) => Number(pts_time)).toSorted((a, b) => a - b)
    for (const [index, time] of frames.slice(1).entries()) expect(time - (frames[index] ?? 0)).toBeCloseTo(1 / 24, 3)
    const sound = (await packets(whole, "a")).map(({ pts_time }) => Number(pts_time))
    for (const [index, time] of sound.slice(1).entries())
      expect(time - (sound[index] ?? 0)).toBeCloseTo(1024 / 44_100, 3)
  })

  it("video without audio → segments of both sizes with video alone", async () => {
    const made = await LadderServer.upload(server, LadderServer.silent)
    await made.request("hls")
    await made.joined("hls")
    expect(await decoded(await made.address("hls/240p.m3u8"), "0:v:0")).toBe(240)
    expect(await packets(await made.bytes("hls/240p/index1.ts"), "a")).toEqual([])
    expect(await made.text("hls/playlist.m3u8")).not.toContain("mp4a")
  })

  it("segment requested again and again, and a range of it → the same bytes", async () => {
    const made = await LadderServer.upload(server)
    await made.request("hls")
    await made.joined("hls")
    const whole = await made.bytes("hls/240p/index1.ts")
    for (let count = 0; count < 3; count++) {
      expect(Buffer.compare(await made.bytes("hls/240p/index1.ts"), whole)).toBe(0)
    }
    const part = await server.get(`${made.streams}/hls/240p/index1.ts`, { headers: { range: "bytes=500-1499" } })
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 500-1499/${whole.length}`])
    expect(Buffer.compare(Buffer.from(await part.arrayBuffer()), whole.subarray(500, 1500))).toBe(0)
  })
})
