import { assert, layer, vi } from "@effect/vitest"
import type * as Ladder from "@holdfast/core/transcoding/Ladder"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Files from "./support/Files.ts"
import * as Results from "./support/Results.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const firstTime = 1.4

/** The keyframes of the sample are two seconds apart. */
const durations = [2, 2, 2]
const rungs: readonly [Ladder.Rung, Ladder.Rung] = [
  { width: 160, height: 90, maxBitrate: 200_000 },
  { width: 106, height: 60, maxBitrate: 200_000 }
]

/** Makes the ladder of a sample. */
const make = Effect.fnUntraced(function* (format: Format) {
  const transcoder = yield* Transcoder
  const input = Samples.path("h264.mp4")
  const [media, output] = [yield* transcoder.probe({ input }), yield* directory]
  const job = { input, media, output, format, rungs, durations, firstTime }
  return yield* CheckedConversion.follow(transcoder.ladder(job), output)
})

Requires.requires(Tools.missing).describe("ladder", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect("ladders in HLS and DASH → the same pictures at the same times, with audio in HLS alone", () =>
      Effect.gen(function* () {
        const [hls, dash] = [yield* make("hls"), yield* make("dash")]
        for (const { name } of dash.finished.renditions) {
          const scratch = yield* directory
          const [transport, fragments] = [join(scratch, "whole.ts"), join(scratch, "whole.mp4")]
          Files.concatenate(
            durations.map((_, segment) => join(hls.output, `${name}/index${segment}.ts`)),
            transport
          )
          const parts = [`${name}/init.m4s`, ...durations.map((_, index) => `${name}/chunk${index + 1}.m4s`)]
          Files.concatenate(
            parts.map((part) => join(dash.output, part)),
            fragments
          )
          const [expected, actual] = [Results.frames(transport).times, Results.frames(fragments).times]
          assert.strictEqual(actual.length, expected.length)
          for (const [at, time] of expected.entries()) assert.approximately(actual[at] ?? NaN, time - firstTime, 0.0005)
          assert.deepStrictEqual(Results.pictures(fragments), Results.pictures(transport))
          const kinds = (path: string) => Results.streams(path).map(({ codec_type }) => codec_type)
          assert.deepStrictEqual(kinds(transport).toSorted(), ["audio", "video"])
          assert.deepStrictEqual(kinds(fragments), ["video"])
        }
      })
    )
  })
})
