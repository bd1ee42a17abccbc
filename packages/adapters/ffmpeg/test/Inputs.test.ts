/**
 * Inputs whose properties matter to a conversion.
 *
 * `HOLDFAST_MEDIA=all` (`pnpm media`) converts all of them; otherwise those that differ from the inputs of the matrix and of the contract:
 * by rotation, size, times of the frames, a single frame, a cut, and without a picture.
 */
import { assert, layer, vi } from "@effect/vitest"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Results from "./support/Results.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** The expected result for a sample. */
interface Expectation {
  readonly sample: Samples.Name
  readonly sizes: ReadonlyArray<string>
  readonly seconds: number
  readonly channels?: number
}

/** Inputs of common codecs and containers, which the matrix has as well. */
const common = new Set<Samples.Name>([
  "h264.mp4",
  "hevc.mkv",
  "mpeg4.avi",
  "wmv.wmv",
  "flv.flv",
  "uneven.webm",
  "tenbit.mp4",
  "silent.mp4",
  "slow.mkv",
  "one-frame.mkv",
  "sound.mp3",
  "vp9.webm",
  "fast.mkv",
  "portrait.mkv",
  "interlaced.mkv",
  "late.mkv",
  "fragmented.mp4"
])

const all: ReadonlyArray<Expectation> = [
  { sample: "h264.mp4", sizes: ["192x108"], seconds: 6, channels: 1 },
  { sample: "vp9.webm", sizes: ["192x108"], seconds: 6, channels: 1 },
  { sample: "hevc.mkv", sizes: ["192x108"], seconds: 6, channels: 1 },
  { sample: "mpeg4.avi", sizes: ["192x108"], seconds: 6, channels: 1 },
  { sample: "turned.mov", sizes: ["108x192"], seconds: 6, channels: 1 },
  { sample: "wmv.wmv", sizes: ["192x108"], seconds: 6, channels: 1 },
  { sample: "flv.flv", sizes: ["192x108"], seconds: 6, channels: 1 },
  { sample: "odd.webm", sizes: ["852x478", "642x360", "428x240"], seconds: 6 },
  { sample: "uneven.mkv", sizes: ["192x108"], seconds: 6 },
  { sample: "uneven.webm", sizes: ["192x108"], seconds: 6 },
  { sample: "tenbit.mp4", sizes: ["192x108"], seconds: 6 },
  { sample: "silent.mp4", sizes: ["192x108"], seconds: 6 },
  { sample: "fast.mkv", sizes: ["192x108"], seconds: 3 },
  { sample: "slow.mp4", sizes: ["192x108"], seconds: 20 },
  { sample: "slow.mkv", sizes: ["192x108"], seconds: 6 },
  { sample: "portrait.mkv", sizes: ["108x192"], seconds: 6 },
  { sample: "interlaced.mkv", sizes: ["192x108"], seconds: 6 },
  { sample: "one-frame.mp4", sizes: ["192x108"], seconds: 0.04 },
  { sample: "one-frame.mkv", sizes: ["192x108"], seconds: 0.04 },
  { sample: "trimmed.mp4", sizes: ["192x108"], seconds: 5.74, channels: 1 },
  { sample: "late.mkv", sizes: ["192x108"], seconds: 6, channels: 1 },
  { sample: "fragmented.mp4", sizes: ["192x108"], seconds: 6, channels: 1 },
  { sample: "sound.mp3", sizes: [], seconds: 6, channels: 1 },
  { sample: "sound.m4a", sizes: [], seconds: 6, channels: 1 }
]

const expectations = all.filter(({ sample }) => process.env["HOLDFAST_MEDIA"] === "all" || !common.has(sample))

const convert = (input: string, format: Format) =>
  Effect.flatMap(directory, (output) => CheckedConversion.convert({ input, output, format }))

const mediaPlaylists = ({ playlists }: CheckedConversion.Outcome) =>
  [...playlists].filter(([, text]) => text.includes("#EXTINF")).map(([name, text]) => ({ name, text }))

/** Checks that the duration of each segment in the playlist lasts until the first frame of the next segment. */
const assertExactDurations = (output: string, text: string): void => {
  const starts = CheckedConversion.uris(text).map((uri) => Results.frames(`${output}/${uri}`).times[0] ?? Number.NaN)
  const durations = [...text.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => Number(seconds))
  for (const [index, start] of starts.slice(1).entries()) {
    assert.approximately(durations[index] ?? 0, start - (starts[index] ?? 0), 0.011)
  }
}

Requires.requires(Tools.missing).describe("convert", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect.each(expectations)(
      "$sample → expected sizes, durations and codecs",
      ({ channels, sample, seconds, sizes }) =>
        Effect.gen(function* () {
          const outcome = yield* convert(Samples.path(sample), "hls")
          const { finished, output, segments } = outcome
          assert.approximately(finished.duration ?? 0, seconds, 0.2)
          assert.deepStrictEqual(
            finished.renditions.flatMap(({ height, width }) => (width === null ? [] : [`${width}x${height}`])),
            sizes
          )
          Results.decode(segments.map((name) => `${output}/${name}`))
          for (const { name, text } of mediaPlaylists(outcome)) {
            assert.approximately(CheckedConversion.seconds(text), seconds, 0.2)
            const [first = ""] = CheckedConversion.uris(text)
            const streams = Results.streams(`${output}/${first}`)
            const picture = streams.find(({ codec_type }) => codec_type === "video")
            const sound = streams.find(({ codec_type }) => codec_type === "audio")
            assert.strictEqual(picture !== undefined, sizes.length > 0)
            if (picture !== undefined) {
              const rank = finished.renditions.findIndex((rendition) => name === `${rendition.name}.m3u8`)
              assert.strictEqual(`${picture.width}x${picture.height}`, sizes[Math.max(rank, 0)])
              assert.strictEqual(picture.codec_name, "h264")
              assert.strictEqual(picture.pix_fmt, "yuv420p")
              assert.isUndefined(picture.side_data_list?.find(({ rotation }) => rotation !== undefined))
              assertExactDurations(output, text)
            }
            assert.strictEqual(sound?.channels, channels)
            if (sound !== undefined) assert.deepStrictEqual([sound.codec_name, sound.profile], ["aac", "LC"])
          }
        })
    )

    it.effect.each([
      ["cut.mp4", "Failed"],
      ["cut.webm", "Failed"],
      ["cut-index.mp4", "NotMedia"],
      ["encrypted.mp4", "Encrypted"],
      ["open-gop.mp4", "NotCopyable"],
      ["keyframes-stop.mp4", "NotCopyable"]
    ] as const)("%s → error %s", ([sample, reason]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(convert(Samples.path(sample), "hls"))
        assert.strictEqual(error.reason, reason)
      })
    )

    it.effect.each([
      ["open-gop.mp4", "dash"],
      ["keyframes-stop.mp4", "dash"]
    ] as const)("%s → error NotCopyable (%s), and encoded in mode transcode", ([sample, format]) =>
      Effect.gen(function* () {
        const job = { input: Samples.path(sample), output: yield* directory, format }
        const error = yield* Effect.flip(CheckedConversion.convert(job))
        assert.strictEqual(error.reason, "NotCopyable")
        yield* CheckedConversion.convert({ ...job, output: yield* directory, mode: "transcode" })
      })
    )

    it.effect.each(["hls", "dash"] as const)(
      "poster is already in the output directory → not reported as a segment (%s)",
      (format) =>
        Effect.gen(function* () {
          const transcoder = yield* Transcoder
          const input = Samples.path("h264.mp4")
          const media = yield* transcoder.probe({ input })
          const output = yield* directory
          yield* transcoder.poster({ input, media, output: `${output}/${StreamFiles.poster}`, at: 1 })
          const events = yield* Stream.runCollect(transcoder.convert({ input, media, output, format }))
          const names = events.flatMap((event) => (event._tag === "SegmentFinished" ? [event.name] : []))
          assert.isNotEmpty(names)
          assert.deepStrictEqual([...new Set(names)], names)
          assert.notInclude(names, StreamFiles.poster)
        })
    )

    it.effect("output directory is missing → Internal, without its path in the message", () =>
      Effect.gen(function* () {
        const output = `${yield* directory}/missing`
        const job = { input: Samples.path("h264.mp4"), output, format: "hls" } as const
        const error = yield* Effect.flip(CheckedConversion.convert(job))
        assert.strictEqual(error.reason, "Internal")
        assert.notInclude(error.message, output)
      })
    )
  })
})
