/**
 * H.265 that is cut from the content, beside the H.264 that is encoded from it.
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
import { expectProblem, json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as TestServer from "../support/TestServer.ts"
import { frameHashes, run } from "./support/Programs.ts"
import { makeFile } from "./support/Videos.ts"

const { describe } = Requires.requires(
  Requires.firstMissing(Requires.command("ffmpeg", "-version"), Requires.command("ffprobe", "-version"))
)

const short = Duration.millis(20)

/** FFmpeg's names of the pixels, and the colours of the video. */
const ranges = {
  SDR: ["yuv420p", "bt709", "bt709", "bt709"],
  PQ: ["yuv420p10le", "bt2020", "smpte2084", "bt2020nc"],
  HLG: ["yuv420p10le", "bt2020", "arib-std-b67", "bt2020nc"]
} as const
type Range = keyof typeof ranges

interface Rendition {
  readonly name: string
  readonly width: number
}

interface Stream {
  readonly codec_name: string
  readonly width?: number
  readonly pix_fmt?: string
  readonly color_transfer?: string
  readonly color_primaries?: string
}

/** Makes a video of six seconds with keyframes of which a player may begin with each, once for all tests. */
const makeVideo = (range: Range, name: string, ...options: ReadonlyArray<string>): Promise<string> => {
  const [pixels, primaries, transfer, matrix] = ranges[range]
  const parameters = `log-level=none:open-gop=0:keyint=24:colorprim=${primaries}:transfer=${transfer}:colormatrix=${matrix}`
  const inputs = "-f lavfi -i testsrc2=s=320x180:r=24:d=6 -f lavfi -i sine=f=440:d=6".split(" ")
  const codecs = `-c:a aac -c:v libx265 -preset ultrafast -pix_fmt ${pixels} -x265-params ${parameters}`.split(" ")
  return makeFile(name, [...inputs, ...codecs, ...options])
}

/** Returns hashes of the decoded frames of one of the tracks. */
const frames = (input: string, track = "0:v:0") => frameHashes(input, track)

/** Returns what FFmpeg finds at an address. */
const probe = async (input: string): Promise<ReadonlyArray<Stream>> => {
  const output = await run("ffprobe", "-v", "error", "-show_streams", "-of", "json", input)
  return (JSON.parse(output) as { readonly streams: ReadonlyArray<Stream> }).streams
}

describe("H.265 beside encoded video", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start({
      transcoder: FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }),
      worker: { concurrency: 2 },
      integrity: { pollInterval: short, backoff: short, maxBackoff: short },
      settings: { videoHevc: true, blobGrace: Duration.zero }
    })
  }, 60_000)
  afterAll(() => server.close())

  /** Uploads a video, and converts it to both formats. */
  const convert = async (file: string, [first, second]: readonly [Format, Format] = ["hls", "dash"]) => {
    const bucket = await server.makeBucket()
    const made = await server.makeFile(bucket, new Uint8Array(Fs.readFileSync(file)), { name: Path.basename(file) })
    const streams = `${made.path}/streams`
    const record = async (format: Format) => {
      const answer = await server.post(`${streams}/${format}`, { headers: { prefer: "wait=60" } })
      return await json<{ readonly renditions: ReadonlyArray<Rendition> }>(answer)
    }
    const records = [await record(first), await record(second)]
    const text = async (name: string): Promise<string> => await (await server.get(`${streams}/${name}`)).text()
    const key = async (format: Format): Promise<string> => {
      const entry = await text(`${format}/${format === "hls" ? "playlist.m3u8" : "manifest.mpd"}`)
      return /apiKey=(hfp_[\w-]+)/.exec(entry)?.[1] ?? ""
    }
    const address = async (name: string): Promise<string> =>
      `${server.url}/api/v1${streams}/${name}?apiKey=${await key(name.startsWith("hls") ? "hls" : "dash")}`
    return { bucket, path: made.path, streams, records, text, address }
  }

  it.each([
    ["SDR", "hvc1", "a.mp4", "hvc1.1.6.L"],
    ["PQ", "hvc1", "a.mp4", "hvc1.2.4.L"],
    ["HLG", "hev1", "a.mov", "hvc1.2.4.L"]
  ] as const)(
    "%s as %s → READY in both formats with the frames of the upload, its tags and its codec",
    { timeout: 480_000 },
    async (range, entry, name, codec) => {
      const file = await makeVideo(range, name, "-tag:v", entry)
      const { address, records, text } = await convert(file)
      for (const record of records) {
        expect(record).toMatchObject({ state: "READY", error: null })
        expect(record.renditions.map((rendition) => rendition.name)).toEqual(["180p", "hevc"])
      }

      const playlist = (await text("hls/playlist.m3u8")).replaceAll(/\?apiKey=[\w-]+/g, "")
      const [first = "", second = "", ...others] = playlist.match(/^#EXT-X-STREAM-INF:.*\n.*$/gm) ?? []
      expect(others).toEqual([])
      expect(first).toMatch(/CODECS="avc1\.[^"]+,mp4a\.40\.2".*,AUDIO="audio"\n180p\.m3u8$/)
      expect(second).toMatch(
        /RESOLUTION=320x180,FRAME-RATE=24\.000,CODECS="hvc1\.[^"]+,mp4a\.40\.2".*,AUDIO="hevc"\nhevc\.m3u8$/
      )
      expect(second).toContain(`CODECS="${codec}`)
      const stated = playlist.match(/VIDEO-RANGE=\w+/g)
      expect(stated).toEqual(range === "SDR" ? null : ["VIDEO-RANGE=SDR", `VIDEO-RANGE=${range}`])
      const media = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="'
      expect(playlist).toContain(`${media}audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1"\n`)
      expect(playlist).toContain(
        `${media}hevc",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1",URI="hevc-audio0.m3u8"\n`
      )

      const source = await frames(file)
      const [pixels, primaries, transfer] = ranges[range]
      const tags = {
        codec_name: "hevc",
        width: 320,
        pix_fmt: pixels,
        color_primaries: primaries,
        color_transfer: transfer
      }
      expect(await frames(await address("hls/hevc.m3u8"))).toEqual(source)
      expect(await probe(await address("hls/hevc.m3u8"))).toMatchObject([tags])
      const all = await probe(await address("hls/playlist.m3u8"))
      expect(all.filter(({ codec_name }) => codec_name === "hevc")).toMatchObject([tags])
      const position = all.findIndex(({ codec_name }) => codec_name === "hevc")
      expect(await frames(await address("hls/playlist.m3u8"), `0:${position}`)).toEqual(source)
      expect(all.filter(({ codec_name }) => codec_name === "h264")).toMatchObject([{ color_transfer: "bt709" }])

      const manifest = await probe(await address("dash/manifest.mpd"))
      expect(manifest.filter(({ codec_name }) => codec_name === "hevc")).toMatchObject([tags])
      const index = manifest.findIndex(({ codec_name }) => codec_name === "hevc")
      expect(await frames(await address("dash/manifest.mpd"), `0:${index}`)).toEqual(source)
      if (range !== "SDR") {
        const value = range === "PQ" ? 16 : 18
        expect(await text("dash/manifest.mpd")).toContain(
          `urn:mpeg:mpegB:cicp:TransferCharacteristics" value="${value}"`
        )
      }
    }
  )

  /** Returns the paths of a bucket's stored contents. */
  const stored = ({ bucketId }: { readonly bucketId: string }): ReadonlyArray<string> =>
    Fs.readdirSync(Path.join(server.directory, "blobs"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath.includes(bucketId))
      .map((entry) => Path.join(entry.parentPath, entry.name))

  /** Returns the paths of those that are indexes of packaged video. */
  const indexesOf = (bucket: { readonly bucketId: string }): ReadonlyArray<string> =>
    stored(bucket).filter((path) => Fs.readFileSync(path).subarray(0, 4).toString("latin1") === "HFSI")

  const findings = Effect.gen(function* () {
    const found: Array<{ readonly key: string }> = []
    yield* (yield* Fsck).check({ onFinding: (finding) => Effect.sync(() => void found.push(finding)) })
    return found
  })

  it("streams with H.265 → complete in fsck; removed one by one → the other plays, and nothing is left", async () => {
    const { bucket, path, streams } = await convert(await makeVideo("PQ", "a.mp4", "-tag:v", "hvc1"))
    const statusOf = async (name: string) => (await server.get(`${streams}/${name}`)).status
    expect(indexesOf(bucket)).toHaveLength(1)
    expect((await server.run(findings)).filter(({ key }) => key.includes(bucket.bucketId))).toEqual([])
    for (const name of ["hevc/init.m4s", "hevc/chunk1.m4s", "hevc-audio0/init.m4s", "hevc-audio0/chunk1.m4s"]) {
      expect([name, await statusOf(`hls/${name}`)]).toEqual([name, 200])
    }
    for (const name of ["hevc/chunk0.m4s", "hevc/chunk99.m4s", "hevc-audio0/chunk99.m4s", "hevc-audio1/init.m4s"]) {
      expect([name, await statusOf(`hls/${name}`)]).toEqual([name, 404])
    }
    expect((await server.request("DELETE", `${streams}/hls`)).status).toBe(204)
    expect([await statusOf("hls/hevc/chunk1.m4s"), await statusOf("dash/hevc/chunk1.m4s")]).toEqual([404, 200])
    expect((await server.request("DELETE", `${streams}/dash`)).status).toBe(204)
    await server.run(Effect.flatMap(Sweeper, ({ sweep }) => sweep()))
    expect(stored(bucket)).toHaveLength(1)
    expect((await server.request("DELETE", path)).status).toBe(204)
    await server.run(Effect.flatMap(Sweeper, ({ sweep }) => sweep()))
    expect(stored(bucket)).toEqual([])
  })

  it("index of H.265 cut → 500 content_damaged, and both streams are made again", { timeout: 60_000 }, async () => {
    const { bucket, streams } = await convert(await makeVideo("HLG", "a.mp4", "-tag:v", "hvc1"))
    const [index = ""] = indexesOf(bucket)
    Fs.truncateSync(index, 5)
    await expectProblem(await server.get(`${streams}/hls/hevc/chunk1.m4s`), 500, "content_damaged")
    const statuses = async () => {
      const answers = [
        await server.get(`${streams}/hls/hevc/chunk1.m4s`),
        await server.get(`${streams}/dash/hevc/chunk1.m4s`)
      ]
      return answers.map(({ status }) => status)
    }
    await expect.poll(statuses, { timeout: 40_000 }).toEqual([200, 200])
  })

  it("content cut → 500 content_damaged for H.265 alone", async () => {
    const { bucket, streams } = await convert(await makeVideo("SDR", "a.mp4", "-tag:v", "hvc1"))
    const largest = stored(bucket).toSorted((one, other) => Fs.statSync(other).size - Fs.statSync(one).size)
    const content = largest.find((path) => Fs.readFileSync(path).includes("hvcC")) ?? ""
    Fs.truncateSync(content, 1000)
    await expectProblem(await server.get(`${streams}/hls/hevc/chunk1.m4s`), 500, "content_damaged")
    expect((await server.get(`${streams}/hls/index0.ts`)).status).toBe(200)
  })

  it("stream is played while it is converted → a multivariant playlist from the beginning", async () => {
    const file = await makeVideo("SDR", "a.mp4", "-tag:v", "hvc1")
    const bucket = await server.makeBucket()
    const { path } = await server.makeFile(bucket, new Uint8Array(Fs.readFileSync(file)), { name: "a.mp4" })
    await server.post(`${path}/streams/hls`)
    // Waits for the first segment.
    const entry = async () => await (await server.get(`${path}/streams/hls/playlist.m3u8`)).text()
    expect(await entry()).toMatch(/^#EXT-X-STREAM-INF:.*\n180p\.m3u8/m)
    expect(await (await server.get(`${path}/streams/hls/180p.m3u8`)).text()).toContain("\nindex0.ts")
    await expect.poll(entry, { timeout: 30_000 }).toMatch(/\nhevc\.m3u8/)
  })

  /** Returns when the first packet of a track is shown, in seconds. */
  const beginOf = async (input: string, track: string): Promise<number> => {
    const options = `-v error -select_streams ${track} -read_intervals %+#1 -show_entries packet=pts_time -of csv=p=0`
    return Number.parseFloat(await run("ffprobe", ...options.split(" "), input))
  }

  it("H.265 and two languages, DASH first → times and audio of the other variants", { timeout: 60_000 }, async () => {
    const languages = "-map 0 -map 1 -map 1 -tag:v hvc1".split(" ")
    const tags = "-metadata:s:a:0 language=eng -metadata:s:a:1 language=deu".split(" ")
    const { address, text } = await convert(await makeVideo("PQ", "a.mp4", ...languages, ...tags), ["dash", "hls"])
    const playlist = (await text("hls/playlist.m3u8")).replaceAll(/\?apiKey=[\w-]+/g, "")
    const media = [
      ...playlist.matchAll(/GROUP-ID="(\w+)",NAME="(\w+)",LANGUAGE="(\w+)",DEFAULT=(\w+).*?(?:,URI="(.*)")?$/gm)
    ]
    expect(media.map((match) => match.slice(1))).toEqual([
      ["audio", "English", "en", "YES", undefined],
      ["audio", "Deutsch", "de", "NO", "audio1.m3u8"],
      ["hevc", "English", "en", "YES", "hevc-audio0.m3u8"],
      ["hevc", "Deutsch", "de", "NO", "hevc-audio1.m3u8"]
    ])
    const begin = await beginOf(await address("hls/180p.m3u8"), "v:0")
    expect(await beginOf(await address("hls/hevc.m3u8"), "v:0")).toBeCloseTo(begin, 3)
    const sound = await beginOf(await address("hls/180p.m3u8"), "a:0")
    expect(await beginOf(await address("hls/hevc-audio0.m3u8"), "a:0")).toBeCloseTo(sound, 3)
    // The same packets, in one segment after the other.
    const packets = async (name: string) =>
      await frameHashes(await address(`hls/${name}`), "0:a:0", "-c", "copy", "-bsf:a", "aac_adtstoasc")
    expect(await packets("hevc-audio0.m3u8")).toEqual(await packets("180p.m3u8"))
    expect(await packets("hevc-audio1.m3u8")).toEqual(await packets("audio1.m3u8"))
  })

  it("H.265 with AC-3 → beside AAC alone, which its players support", async () => {
    const sound = "-ac 6 -c:a ac3 -tag:v hvc1".split(" ")
    const { address, streams, text } = await convert(await makeVideo("PQ", "a.mp4", ...sound))
    const playlist = (await text("hls/playlist.m3u8")).replaceAll(/\?apiKey=[\w-]+/g, "")
    const groups = [...playlist.matchAll(/^#EXT-X-MEDIA:.*GROUP-ID="([\w-]+)".*CHANNELS="(\d)"/gm)]
    expect(groups.map((match) => match.slice(1))).toEqual([
      ["audio", "2"],
      ["audio", "6"],
      ["ac-3", "6"],
      ["hevc", "2"],
      ["hevc", "6"]
    ])
    expect(playlist).toMatch(/CODECS="hvc1\.[^"]+,mp4a\.40\.2".*,AUDIO="hevc"\nhevc\.m3u8\n/)
    const all = await probe(await address("dash/manifest.mpd"))
    expect(new Set(all.map(({ codec_name }) => codec_name))).toEqual(new Set(["h264", "hevc", "aac", "ac3"]))
    for (const name of ["init", "chunk1"]) {
      expect((await server.get(`${streams}/hls/hevc-audio2/${name}.m4s`)).status).toBe(200)
    }
  })

  it.each([
    ["rotated", "a.mov", [], ["-metadata:s:v:0", "rotate=90"]],
    ["trimmed", "a.mp4", ["-ss", "0.3"], []]
  ])("%s H.265 → READY with H.264 alone", async (_, name, before, after) => {
    const whole = await makeVideo("HLG", "a.mp4", "-tag:v", "hvc1")
    const file = Path.join(await Process.makeDirectory(), name)
    await run("ffmpeg", "-v", "error", "-y", ...before, "-i", whole, "-c", "copy", ...after, file)
    const { bucket, records } = await convert(file)
    for (const { renditions } of records) expect(renditions.map((rendition) => rendition.name)).toEqual(["180p"])
    expect(indexesOf(bucket)).toEqual([])
  })
})
