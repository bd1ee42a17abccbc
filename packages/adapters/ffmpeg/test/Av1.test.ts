import { assert, layer, vi } from "@effect/vitest"
import * as LadderPlaylists from "@holdfast/core/transcoding/LadderPlaylists"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import { type LadderJob, Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Files from "./support/Files.ts"
import * as Results from "./support/Results.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** Seconds: when the presentation begins in the segments of AV1. */
const firstTime = 1.5

const rung = { width: 192, height: 108, maxBitrate: 300_000 }

/** Encodes a sample as a shared presentation, and as AV1 behind it. */
const make = Effect.fnUntraced(function* (
  name: Samples.Name,
  rungs: LadderJob["rungs"] = [rung],
  limits: LadderJob["limits"] = {}
) {
  const transcoder = yield* Transcoder
  const input = Samples.path(name)
  const shared = yield* CheckedConversion.convert({
    input,
    output: yield* directory,
    format: "dash",
    mode: "transcode",
    mayShare: true
  })
  const durations = LadderPlaylists.durations({ presentation: shared.finished, playlists: shared.playlists })
  const output = yield* directory
  const job = { input, media: shared.media, output, rungs, durations, firstTime, limits }
  const events = transcoder.ladder({ ...job, format: "dash", codec: "av1" })
  return { shared, durations, av1: yield* CheckedConversion.follow(events, output) }
})

const concatenated = (output: string, parts: ReadonlyArray<string>, scratch: string) => {
  const whole = join(scratch, "whole.mp4")
  Files.concatenate(
    parts.map((part) => join(output, part)),
    whole
  )
  return whole
}

Requires.requires(Tools.missing).describe("AV1 behind a shared presentation", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect.each([["h264.mp4"], ["uneven.mkv"], ["gap.mkv"], ["portrait.mkv"], ["hlg.mp4"]] as const)(
      "%s → its frames at the times of the H.264, in as many segments that begin with keyframes",
      ([name]) =>
        Effect.gen(function* () {
          const size = name === "portrait.mkv" ? { width: 108, height: 192 } : { width: 192, height: 108 }
          const { av1, durations, shared } = yield* make(name, [{ ...rung, ...size }])
          const [rendition] = av1.finished.renditions
          assert.lengthOf(av1.finished.renditions, 1)
          assert.deepInclude(rendition, { ...size, name: "108p-av1" })
          assert.match(rendition.codecs?.join() ?? "", /^av01\.0\.\d\dM\.08$/)
          const chunks = durations.map((_, index) => `108p-av1/chunk${index + 1}.m4s`)
          assert.deepStrictEqual([...av1.segments], [...chunks, "108p-av1/init.m4s"])
          const ours = Results.frames(concatenated(av1.output, ["108p-av1/init.m4s", ...chunks], yield* directory))
          const parts = durations.map((_, index) => StreamFiles.chunk(0, index + 1))
          const theirs = Results.frames(concatenated(shared.output, [StreamFiles.init(0), ...parts], yield* directory))
          assert.strictEqual(ours.times.length, theirs.times.length)
          for (const [index, time] of theirs.times.entries()) {
            assert.approximately((ours.times[index] ?? NaN) - firstTime, time, 0.002)
          }
          assert.strictEqual(ours.keys, durations.length)
          for (const chunk of chunks) {
            const alone = concatenated(av1.output, ["108p-av1/init.m4s", chunk], yield* directory)
            assert.isTrue(Results.frames(alone).startsWithKey, chunk)
            assert.isAbove(Results.pictures(alone).length, 0)
          }
        })
    )

    it.effect(
      "several sizes → one after the other; those that are too small or need too much memory are left out",
      () =>
        Effect.gen(function* () {
          const small = { width: 128, height: 72, maxBitrate: 200_000 }
          const { av1 } = yield* make("silent.mp4", [
            { width: 3840, height: 2160, maxBitrate: 1_000_000 },
            rung,
            small,
            { width: 96, height: 54, maxBitrate: 200_000 }
          ])
          assert.deepStrictEqual(
            av1.finished.renditions.map(({ name }) => name),
            ["108p-av1", "72p-av1"]
          )
          const folders = av1.segments.map((segment) => segment.split("/")[0])
          assert.deepStrictEqual([...new Set(folders)], ["108p-av1", "72p-av1"])
          assert.isTrue(folders.lastIndexOf("108p-av1") < folders.indexOf("72p-av1"))
          assert.isFalse(existsSync(join(av1.output, "54p-av1")))
        })
    )

    it.effect("a size beyond the limit of bytes → left out without its files; LimitExceeded if none is left", () =>
      Effect.gen(function* () {
        const { av1 } = yield* make("noise.mkv", [{ width: 640, height: 360, maxBitrate: 900_000 }, rung], {
          outputBytes: 3_000_000
        })
        assert.deepStrictEqual(
          av1.finished.renditions.map(({ name }) => name),
          ["108p-av1"]
        )
        const error = yield* Effect.flip(make("silent.mp4", [rung], { outputBytes: 1000 }))
        assert.include(error, { reason: "LimitExceeded" })
      })
    )
  })
})
