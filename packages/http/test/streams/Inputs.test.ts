/**
 * Uploads of many kinds, through the API and with FFmpeg: video and audio are playable, and all other content is rejected
 * with a reason and leaves nothing behind.
 */
import { Fsck } from "@holdfast/core/storage/Fsck"
import { Sweeper } from "@holdfast/core/storage/Sweeper"
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Requires from "@holdfast/testing/Requires"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { json, type ProblemBody } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Samples from "./support/Samples.ts"
import * as StreamServer from "./support/StreamServer.ts"

const wait = { headers: { prefer: "wait=60" } }

/** The expected sizes of the renditions, none for audio alone, and the expected duration. */
const good: ReadonlyArray<readonly [Samples.Name, sizes: ReadonlyArray<string>, seconds: number]> = [
  ["h264.mp4", ["128x72"], 2],
  ["vp9.webm", ["128x72"], 2],
  ["hevc.mkv", ["128x72"], 2],
  ["mpeg4.avi", ["128x72"], 2],
  ["turned.mov", ["72x128"], 2],
  ["wmv.wmv", ["128x72"], 2],
  ["flv.flv", ["128x72"], 2],
  ["odd.webm", ["852x478", "642x360", "428x240"], 2],
  ["uneven.mkv", ["128x72"], 2],
  ["tenbit.mp4", ["128x72"], 2],
  ["silent.mp4", ["128x72"], 2],
  ["portrait.mkv", ["72x128"], 2],
  ["open-gop.mp4", ["128x72"], 6],
  ["sound.m4a", [], 2],
  ["one-frame.mp4", ["128x72"], 0.1]
]

/** Of a copy, of copied video with audio that must be encoded, and of an encoding. */
const withoutSound: ReadonlyArray<readonly [Samples.Name, sizes: ReadonlyArray<string>]> = [
  ["short.mp4", ["128x72"]],
  ["mp3.mp4", ["128x72"]],
  ["mpeg4.avi", ["128x72"]]
]

/** Converted to both formats: a copy, an encoding, several sizes, a single track. */
const both: ReadonlySet<Samples.Name> = new Set(["h264.mp4", "portrait.mkv", "odd.webm", "silent.mp4", "sound.m4a"])

interface Track {
  readonly width?: number
  readonly height?: number
  readonly nb_read_frames?: string
}

interface Size {
  readonly width: number | null
  readonly height: number | null
}

type Content = Uint8Array<ArrayBuffer>
type Code = "not_a_video" | "content_encrypted" | "conversion_failed"

const bad: ReadonlyArray<
  readonly [name: string, make: (directory: string) => Content | Promise<Content>, Code, RegExp]
> = [
  ["empty.mp4", () => new Uint8Array(), "not_a_video", /neither video nor audio/],
  ["random.mp4", () => new Uint8Array(randomBytes(50_000)), "not_a_video", /neither video nor audio/],
  ["text.mp4", () => new TextEncoder().encode("Hello, this is text.\n".repeat(99)), "not_a_video", /./],
  ["head.mp4", () => new TextEncoder().encode("\0\0\0\u0018ftypisom\0\0\0\0isom"), "not_a_video", /neither video/],
  ["cut-index.mp4", (directory) => Samples.half(directory, "short.mp4"), "not_a_video", /neither video nor audio/],
  ["cut.mp4", (directory) => Samples.half(directory, "long.mp4"), "conversion_failed", /cut off/],
  ["cut.webm", (directory) => Samples.half(directory, "long.webm"), "conversion_failed", /cut off/],
  ["zeros.m4a", (directory) => Samples.zeroAudio(directory, "sound.m4a"), "conversion_failed", /conversion failed/],
  ["encrypted.mp4", (directory) => Samples.make(directory, "encrypted.mp4"), "content_encrypted", /is encrypted/],
  ["bomb.avi", (directory) => Samples.make(directory, "bomb.avi"), "conversion_failed", /limit/]
]

Requires.requires(Samples.missing).describe("upload", () => {
  let server: TestServer.TestServer
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let directory: string
  let scratch: string

  vi.setConfig({ testTimeout: 60_000 })
  beforeAll(async () => {
    directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-inputs-"))
    scratch = Path.join(directory, "scratch")
    await Fs.mkdir(scratch)
    server = await TestServer.start({
      transcoder: FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast", temporaryDirectory: scratch }),
      worker: { concurrency: 2 },
      settings: { blobGrace: Duration.zero }
    })
    bucket = await server.makeBucket()
  })
  afterAll(async () => {
    await server.close()
    await Fs.rm(directory, { recursive: true, force: true })
    vi.resetConfig()
  })

  const upload = async (name: string, content: Uint8Array<ArrayBuffer>) =>
    (await server.makeFile(bucket, content, { name: `${Math.random()}-${name}` })).path

  const text = async (path: string) => {
    const answer = await server.get(path)
    expect(answer.status).toBe(200)
    return answer.text()
  }

  /** Downloads files by their addresses, as a player does, and decodes them as one file. Returns the size of the video. */
  const decode = async (base: string, addresses: ReadonlyArray<string>) => (await decodeTracks(base, addresses)).size

  /** As `decode`. Returns the number of tracks as well. */
  const decodeTracks = async (base: string, addresses: ReadonlyArray<string>) => {
    const parts = await Promise.all(
      addresses.map(async (address) => {
        const answer = await server.get(`${base}/${address}`, { key: null })
        expect(answer.status).toBe(200)
        return new Uint8Array(await answer.arrayBuffer())
      })
    )
    const file = Path.join(directory, `played-${Math.random()}`)
    await Fs.writeFile(file, Buffer.concat(parts))
    const entries = ["-show_entries", "stream=width,height,nb_read_frames", "-of", "json"]
    const shown = await Samples.run("ffprobe", "-v", "error", "-count_frames", ...entries, file)
    const { streams } = JSON.parse(shown) as { readonly streams: ReadonlyArray<Track> }
    expect(streams.length).toBeGreaterThan(0)
    for (const { nb_read_frames: frames } of streams) expect(Number(frames)).toBeGreaterThan(0)
    const track = streams.find(({ width }) => width !== undefined)
    return { count: streams.length, size: track === undefined ? undefined : `${track.width}x${track.height}` }
  }

  const playHls = async (streams: string, sizes: ReadonlyArray<string>, seconds: number) => {
    const entry = await text(`${streams}/hls/playlist.m3u8`)
    const variants = sizes.length > 1 ? StreamServer.addresses(entry) : ["playlist.m3u8"]
    const decoded: Array<string | undefined> = []
    for (const variant of variants) {
      const playlist = await text(`${streams}/hls/${variant}`)
      expect(playlist).toContain("#EXT-X-ENDLIST")
      const duration = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, value]) => sum + Number(value), 0)
      expect(Math.abs(duration - seconds)).toBeLessThan(0.25)
      decoded.push(await decode(`${streams}/hls`, StreamServer.addresses(playlist)))
    }
    // The first one of a playlist is not the best, but one that starts fast.
    expect(decoded.toSorted()).toEqual(sizes.length === 0 ? [undefined] : sizes.toSorted())
  }

  const playDash = async (streams: string, sizes: ReadonlyArray<string>) => {
    const manifest = await text(`${streams}/dash/manifest.mpd`)
    const [, query = ""] = /initialization="init-\$RepresentationID\$\.m4s(\?[^"]*)"/.exec(manifest) ?? []
    for (const [id, size] of (sizes.length === 0 ? [undefined] : sizes).entries()) {
      const names = [`init-${id}.m4s${query}`, `chunk-${id}-1.m4s${query}`]
      expect(await decode(`${streams}/dash`, names)).toBe(size)
    }
  }

  it.concurrent.each(good)("%s → playable", async (name, sizes, seconds) => {
    const streams = `${await upload(name, await Samples.make(directory, name))}/streams`
    for (const format of ["hls", "dash"] as const) {
      if (format === "dash" && !both.has(name)) continue
      const answer = await server.post(`${streams}/${format}`, wait)
      const { renditions, ...record } = await json<
        Omit<StreamServer.Record, "renditions"> & { readonly renditions: ReadonlyArray<Size> }
      >(answer)
      expect([answer.status, record]).toMatchObject([200, { format, state: "READY", progress: 1, error: null }])
      expect(renditions.flatMap(({ height, width }) => (width === null ? [] : [`${width}x${height}`]))).toEqual(sizes)
      await (format === "hls" ? playHls(streams, sizes, seconds) : playDash(streams, sizes))
    }
    // That of a packaged stream is made after the stream is READY.
    const isMade = async () => expect((await server.get(`${streams}/poster.jpg`)).status).not.toBe(503)
    await vi.waitFor(isMade, { timeout: 60_000 })
    expect((await server.get(`${streams}/poster.jpg`)).status).toBe(sizes.length === 0 ? 404 : 200)
  })

  it.concurrent.each(withoutSound)("%s with audio of zeros → playable without the audio", async (name, sizes) => {
    const streams = `${await upload(name, await Samples.zeroAudio(directory, name))}/streams`
    for (const format of ["hls", "dash"] as const) {
      const answer = await server.post(`${streams}/${format}`, wait)
      const record = await json<StreamServer.Record>(answer)
      expect([answer.status, record]).toMatchObject([200, { format, state: "READY", progress: 1, error: null }])
    }
    await playHls(streams, sizes, 2)
    const playlist = await text(`${streams}/hls/playlist.m3u8`)
    expect((await decodeTracks(`${streams}/hls`, StreamServer.addresses(playlist))).count).toBe(1)
    await playDash(streams, sizes)
    expect(await text(`${streams}/dash/manifest.mpd`)).not.toContain('contentType="audio"')
  })

  it.concurrent.each(bad)("%s → rejected with a reason", async (name, make, code, why) => {
    const path = await upload(name, await make(directory))
    const requested = await server.post(`${path}/streams/hls`, wait)
    // If only the transcoder detects the problem, the record says so, and then every file of the stream.
    if (requested.status === 422) {
      expect(await json<ProblemBody>(requested)).toMatchObject({ code, detail: expect.stringMatching(why) })
    } else {
      const { error, state } = await json<StreamServer.Record>(requested)
      expect([requested.status, state, error]).toEqual([202, "FAILED", expect.stringMatching(why)])
      for (const secret of [Os.tmpdir(), "holdfast"]) expect(error).not.toContain(secret)
      for (const below of ["hls/playlist.m3u8", "hls/index0.ts", "hls"]) {
        const answer = await server.get(`${path}/streams/${below}`)
        const problem = await json<ProblemBody>(answer)
        expect([answer.status, problem.code]).toEqual([422, code])
        expect(problem.detail).toMatch(why)
        expect(error).toContain(problem.detail)
      }
    }
    // The content can be viewed and deleted like any other.
    expect((await server.get(`${path}/view`)).status).toBe(200)
    expect((await server.delete(path)).status).toBe(204)
  })

  it("all files are deleted → no rows, blobs or temporary files are left", async () => {
    const files = await server.get(`/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`, {
      query: { limit: "100" }
    })
    const { items } = await json<{ readonly items: ReadonlyArray<{ readonly id: string }> }>(files)
    for (const { id } of items) {
      const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${id}`
      expect((await server.delete(path)).status).toBe(204)
    }
    const left = await server.run(
      Effect.gen(function* () {
        const sweeper = yield* Sweeper
        while ((yield* sweeper.sweep({ expireAllUploads: true })).removed > 0);
        return yield* (yield* Fsck).check()
      })
    )
    expect(left).toEqual({ rows: 0, blobs: 0, findings: 0, unrepaired: 0, lost: 0 })
    expect(await Fs.readdir(Path.join(server.directory, "conversions"))).toEqual([])
    expect(await Fs.readdir(scratch)).toEqual([])
    expect(server.logs.join("\n")).not.toMatch(/level=(ERROR|FATAL)/i)
  })
})
