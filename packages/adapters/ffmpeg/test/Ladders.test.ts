import { assert, layer, vi } from "@effect/vitest"
import type * as Ladder from "@holdfast/core/transcoding/Ladder"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import { existsSync, renameSync } from "node:fs"
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

/** Makes the ladder of a sample, from another one if given. */
const make = Effect.fnUntraced(function* (
  format: Format,
  from?: Pick<CheckedConversion.Outcome, "finished" | "output">
) {
  const transcoder = yield* Transcoder
  const input = Samples.path("h264.mp4")
  const [media, output] = [yield* transcoder.probe({ input }), yield* directory]
  const encoded =
    from === undefined ? undefined : { source: from.output, firstTime, renditions: from.finished.renditions }
  const job = { input, media, output, format, rungs, durations, firstTime, encoded }
  return yield* CheckedConversion.follow(transcoder.ladder(job), output)
})

/** Returns the times and the pictures of a rendition of DASH. */
const dashPictures = (output: string, name: string, scratch: string) => {
  const whole = join(scratch, `${name}.mp4`)
  const parts = [`${name}/init.m4s`, ...durations.map((_, index) => `${name}/chunk${index + 1}.m4s`)]
  Files.concatenate(
    parts.map((part) => join(output, part)),
    whole
  )
  return { times: Results.frames(whole).times, pictures: Results.pictures(whole) }
}

Requires.requires(Tools.missing).describe("ladder of the other format", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect("ladder in HLS → copied to DASH: the same pictures, at the times of an encoded one", () =>
      Effect.gen(function* () {
        const [hls, encoded] = [yield* make("hls"), yield* make("dash")]
        const copied = yield* make("dash", hls)
        assert.deepStrictEqual(copied.segments.toSorted(), encoded.segments.toSorted())
        for (const [index, { codecs, name }] of copied.finished.renditions.entries()) {
          const expected = dashPictures(encoded.output, name, yield* directory)
          const actual = dashPictures(copied.output, name, yield* directory)
          assert.strictEqual(actual.times.length, expected.times.length)
          for (const [at, time] of expected.times.entries()) assert.approximately(actual.times[at] ?? NaN, time, 0.0005)
          assert.deepStrictEqual(codecs, encoded.finished.renditions[index]?.codecs)
          const whole = join(yield* directory, "whole.ts")
          Files.concatenate(
            durations.map((_, segment) => join(hls.output, `${name}/index${segment}.ts`)),
            whole
          )
          assert.deepStrictEqual(actual.pictures, Results.pictures(whole))
        }
      })
    )

    it.effect("ladder in HLS that lacks a segment → encoded", () =>
      Effect.gen(function* () {
        const hls = yield* make("hls")
        const [{ name }] = hls.finished.renditions
        renameSync(join(hls.output, `${name}/index2.ts`), join(hls.output, `${name}/other`))
        const made = yield* make("dash", hls)
        assert.isTrue(existsSync(join(made.output, `${name}/chunk3.m4s`)))
        assert.strictEqual(made.segments.length, 2 * (durations.length + 1))
      })
    )
  })
})
