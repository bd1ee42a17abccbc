/**
 * AV1 that is encoded behind a READY stream.
 */
import { Fsck } from "@holdfast/core/storage/Fsck"
import { Sweeper } from "@holdfast/core/storage/Sweeper"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Requires from "@holdfast/testing/Requires"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { json } from "../../support/Problems.ts"
import * as Process from "../../support/Process.ts"
import * as TestServer from "../../support/TestServer.ts"
import { frameHashes, run } from "../support/Programs.ts"

const { describe } = Requires.requires(
  Requires.firstMissing(Requires.command("ffmpeg", "-version"), Requires.command("ffprobe", "-version"))
)

interface Record {
  readonly state: string
  readonly renditions: ReadonlyArray<{ readonly name: string; readonly bitrate: number }>
}

/** Makes a video of six seconds that is not copied. */
const makeVideo = async (name: string, size: string, ...options: ReadonlyArray<string>): Promise<string> => {
  const path = Path.join(await Process.makeDirectory(), name)
  const inputs = `-f lavfi -i testsrc2=s=${size}:r=24:d=6 -f lavfi -i sine=f=440:d=6`.split(" ")
  await run("ffmpeg", "-v", "error", "-y", ...inputs, ..."-c:a aac -c:v mpeg4 -q:v 4".split(" "), ...options, path)
  return path
}

/** Returns the times of the frames of a track, in seconds. */
const times = async (input: string, track: string): Promise<ReadonlyArray<number>> => {
  const options = `-v error -select_streams ${track} -show_entries packet=pts_time -of csv=p=0`
  const output = await run("ffprobe", ...options.split(" "), input)
  const found = output.split("\n").flatMap((line) => (line === "" ? [] : [Number.parseFloat(line)]))
  return found.toSorted((one, other) => one - other)
}

/** Returns how many frames are decoded of a track. */
const decoded = async (input: string, track: string): Promise<number> => (await frameHashes(input, track)).length

describe("AV1 behind encoded video", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start({
      transcoder: FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }),
      worker: { concurrency: 2, ladderDelay: Duration.zero, pollInterval: Duration.millis(50) },
      settings: { videoAv1: true, videoHevc: true, blobGrace: Duration.zero }
    })
  }, 60_000)
  afterAll(() => server.close())

  /** Uploads a video, and converts it to some formats until it is READY. */
  const convert = async (file: string, formats: ReadonlyArray<Format>) => {
    const bucket = await server.makeBucket()
    const made = await server.makeFile(bucket, new Uint8Array(Fs.readFileSync(file)), { name: Path.basename(file) })
    const streams = `${made.path}/streams`
    const request = async (format: Format) =>
      await json<Record>(await server.post(`${streams}/${format}`, { headers: { prefer: "wait=60" } }))
    const first = new Array<Record>()
    for (const format of formats) first.push(await request(format))
    const names = async (format: Format): Promise<ReadonlyArray<string>> =>
      (await request(format)).renditions.map(({ name }) => name)
    const text = async (name: string): Promise<string> => await (await server.get(`${streams}/${name}`)).text()
    const key = async (format: Format): Promise<string> => {
      const entry = await text(`${format}/${format === "hls" ? "playlist.m3u8" : "manifest.mpd"}`)
      return /apiKey=(hfp_[\w-]+)/.exec(entry)?.[1] ?? ""
    }
    const address = async (name: string): Promise<string> =>
      `${server.url}/api/v1${streams}/${name}?apiKey=${await key(name.startsWith("hls") ? "hls" : "dash")}`
    /** Waits until the AV1 has joined. */
    const joined = async (format: Format, all: ReadonlyArray<string>) => {
      await expect.poll(async () => await names(format), { timeout: 60_000 }).toEqual(all)
    }
    return { bucket, path: made.path, streams, first, request, text, address, joined }
  }

  /** Returns the variants of the multivariant playlist: their attributes and addresses. */
  const variantsOf = (playlist: string) =>
    playlist.replaceAll(/\?apiKey=[\w-]+/g, "").match(/^#EXT-X-STREAM-INF:.*\n.*$/gm) ?? []

  it(
    "several sizes → READY with H.264 alone, then AV1 of all sizes in both formats",
    { timeout: 480_000 },
    async () => {
      const made = await convert(await makeVideo("a.mkv", "640x360"), ["hls"])
      expect(made.first).toMatchObject([{ state: "READY", renditions: [{ name: "360p" }, { name: "240p" }] }])
      const all = ["360p", "240p", "360p-av1", "240p-av1"]
      await made.joined("hls", all)
      // Requested afterwards, the other format has it at once.
      expect((await made.request("dash")).renditions.map(({ name }) => name)).toEqual(all)

      const playlist = await made.text("hls/playlist.m3u8")
      const variants = variantsOf(playlist)
      expect(variants).toHaveLength(4)
      const groups = variants.map((variant) => /AUDIO="(\w+)"\n(.*)/.exec(variant)?.slice(1))
      expect(groups).toEqual([
        ["audio", "240p.m3u8"],
        ["audio", "360p.m3u8"],
        ["av1", "360p-av1.m3u8"],
        ["av1", "240p-av1.m3u8"]
      ])
      expect(variants[2]).toMatch(/RESOLUTION=640x360,FRAME-RATE=24\.000,CODECS="av01\.0\.\d\dM\.08,mp4a\.40\.2"/)
      expect(playlist.match(/^#EXT-X-MEDIA:.*GROUP-ID="av1".*$/gm)).toHaveLength(1)

      const h264 = await times(await made.address("hls/360p.m3u8"), "v:0")
      for (const name of ["360p-av1", "240p-av1"]) {
        const address = await made.address(`hls/${name}.m3u8`)
        const found = await times(address, "v:0")
        expect(found).toHaveLength(144)
        for (const [index, time] of h264.entries()) expect(found[index]).toBeCloseTo(time, 2)
        expect(await decoded(address, "0:v:0")).toBe(144)
      }
      const sound = await times(await made.address("hls/360p.m3u8"), "a:0")
      expect((await times(await made.address("hls/av1-audio0.m3u8"), "a:0"))[0]).toBeCloseTo(sound[0] ?? NaN, 3)

      const manifest = await made.address("dash/manifest.mpd")
      const codecs = await run(
        "ffprobe",
        "-v",
        "error",
        "-show_entries",
        "stream=codec_name",
        "-of",
        "csv=p=0",
        manifest
      )
      // The streams follow those of the program, after an empty line.
      expect(codecs.trim().split("\n\n").at(-1)?.split("\n")).toEqual(["h264", "h264", "av1", "av1", "aac"])
      expect(await decoded(manifest, "0:v:2")).toBe(144)
      const described = await made.text("dash/manifest.mpd")
      expect(described).toMatch(/<AdaptationSet id="2"[^>]* selectionPriority="2">\s*<Representation id="360p-av1"/)
    }
  )

  it("one size, DASH first → the entry of HLS becomes a multivariant playlist", { timeout: 480_000 }, async () => {
    const made = await convert(await makeVideo("a.mkv", "320x180"), ["dash", "hls"])
    for (const format of ["dash", "hls"] as const) await made.joined(format, ["180p", "180p-av1"])
    const uris = variantsOf(await made.text("hls/playlist.m3u8")).map((variant) => variant.split("\n")[1])
    expect(uris).toEqual(["180p.m3u8", "180p-av1.m3u8"])
    const [h264, av1] = [await made.address("hls/180p.m3u8"), await made.address("hls/180p-av1.m3u8")]
    expect(await decoded(h264, "0:v:0")).toBe(144)
    expect(await decoded(av1, "0:v:0")).toBe(144)
  })

  it("H.265 with HDR → AV1 in SDR beside both, with the audio of the H.265", { timeout: 480_000 }, async () => {
    const parameters = "log-level=none:open-gop=0:keyint=24:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"
    const hdr = `-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -tag:v hvc1 -x265-params ${parameters}`.split(" ")
    const made = await convert(await makeVideo("a.mp4", "320x180", ...hdr), ["hls"])
    await made.joined("hls", ["180p", "180p-av1", "hevc"])
    const playlist = await made.text("hls/playlist.m3u8")
    const ranges = variantsOf(playlist).map((variant) => /VIDEO-RANGE=(\w+),AUDIO="(\w+)"/.exec(variant)?.slice(1))
    expect(ranges).toEqual([
      ["SDR", "audio"],
      ["PQ", "hevc"],
      ["SDR", "hevc"]
    ])
    expect(playlist).not.toContain("av1-audio0")
    expect(await decoded(await made.address("hls/180p-av1.m3u8"), "0:v:0")).toBe(144)
  })

  it("copied and audio alone → no AV1", { timeout: 120_000 }, async () => {
    const copied = await makeVideo("a.mp4", "320x180", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "24")
    const sound = Path.join(Path.dirname(copied), "a.mp3")
    await run("ffmpeg", "-v", "error", "-i", copied, "-vn", sound)
    const made = await convert(copied, ["hls"])
    const audio = await convert(sound, ["hls"])
    // AV1 that is requested later joins behind them, in the same queue.
    const last = await convert(await makeVideo("b.mkv", "320x180"), ["hls"])
    await last.joined("hls", ["180p", "180p-av1"])
    for (const one of [made, audio]) {
      const { renditions } = await one.request("hls")
      expect(renditions.filter(({ name }) => name.endsWith("av1"))).toEqual([])
    }
  })

  /** Returns the paths of a bucket's stored contents. */
  const stored = ({ bucketId }: { readonly bucketId: string }): ReadonlyArray<string> =>
    Fs.readdirSync(Path.join(server.directory, "blobs"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath.includes(bucketId))
      .map((entry) => Path.join(entry.parentPath, entry.name))

  const findings = Effect.gen(function* () {
    const found: Array<{ readonly key: string }> = []
    yield* (yield* Fsck).check({ onFinding: (finding) => Effect.sync(() => void found.push(finding)) })
    return found
  })

  it("streams with AV1 removed one by one → the other plays, and nothing is left", { timeout: 120_000 }, async () => {
    const made = await convert(await makeVideo("a.mkv", "320x180"), ["hls", "dash"])
    await made.joined("dash", ["180p", "180p-av1"])
    const { bucket, path, streams } = made
    const statusOf = async (name: string) => (await server.get(`${streams}/${name}`)).status
    expect((await server.run(findings)).filter(({ key }) => key.includes(bucket.bucketId))).toEqual([])
    for (const name of ["180p-av1/init.m4s", "180p-av1/chunk1.m4s", "av1-audio0/init.m4s", "av1-audio0/chunk1.m4s"]) {
      expect([name, await statusOf(`hls/${name}`)]).toEqual([name, 200])
    }
    for (const name of ["180p-av1/chunk99.m4s", "av1-audio1/init.m4s", "90p-av1/init.m4s"]) {
      expect([name, await statusOf(`hls/${name}`)]).toEqual([name, 404])
    }
    expect((await server.request("DELETE", `${streams}/hls`)).status).toBe(204)
    expect([await statusOf("hls/180p-av1/chunk1.m4s"), await statusOf("dash/180p-av1/chunk1.m4s")]).toEqual([404, 200])
    expect((await server.request("DELETE", `${streams}/dash`)).status).toBe(204)
    await server.run(Effect.flatMap(Sweeper, ({ sweep }) => sweep()))
    expect(stored(bucket)).toHaveLength(1)
    expect((await server.request("DELETE", path)).status).toBe(204)
    await server.run(Effect.flatMap(Sweeper, ({ sweep }) => sweep()))
    expect(stored(bucket)).toEqual([])
  })
})
