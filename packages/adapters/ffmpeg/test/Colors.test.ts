import { assert, layer, vi } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Results from "./support/Results.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

vi.setConfig({ testTimeout: 120_000 })

const isWhole = process.env["HOLDFAST_MEDIA"] === "all"

/** The middle of each patch. */
const middles = Samples.patches.map((_, index) => [64 * index + 32, 32] as const)
const width = 64 * Samples.patches.length

/** Checks the patches of a picture. `tolerance` is of 255. */
const assertPatches = (path: string, tolerance: number): void => {
  for (const [index, found] of Results.pixels(path, width, middles).entries()) {
    for (const [channel, value] of found.entries()) {
      const expected = Samples.patches[index]?.[channel] ?? Number.NaN
      assert.approximately(value, expected, tolerance, `patch ${index}: ${found.join()}`)
    }
  }
}

/** HDR: light is compressed, so that saturated patches become a little darker. */
const hdr = 30

/** `HOLDFAST_MEDIA=all` (`pnpm media`): all of them; otherwise one of each matrix, of each range, and of each transfer function. */
const samples = (
  [
    ["bt601.mp4", "smpte170m", 2],
    ["bt601-full.mp4", "smpte170m", 2],
    ["bt709.mp4", "bt709", 2],
    ["bt709-full.mp4", "bt709", 2],
    ["bt2020.mkv", "bt709", 2],
    ["bt2020-full.mkv", "bt709", 2],
    ["rgb.mkv", "bt709", 2],
    ["pq.mp4", "bt709", hdr],
    ["hlg.mp4", "bt709", hdr]
  ] as ReadonlyArray<readonly [sample: Samples.Name, matrix: string, tolerance: number]>
).filter(([name]) => isWhole || /^(?:bt601|bt709-full|bt2020|rgb|pq)\./.test(name))

Requires.requires(Tools.missing).describe("colours", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect.each(samples)("%s → a poster with its colours", ([sample, , tolerance]) =>
      Effect.gen(function* () {
        const transcoder = yield* Transcoder
        const input = Samples.path(sample)
        const output = `${yield* directory}/poster.jpg`
        yield* transcoder.poster({ input, media: yield* transcoder.probe({ input }), output, at: 0 })
        assertPatches(output, tolerance)
      })
    )

    it.effect.each(samples)(
      "%s → encoded with its colours, limited range, and says so",
      ([sample, matrix, tolerance]) =>
        Effect.gen(function* () {
          const input = Samples.path(sample)
          const job = { input, output: yield* directory, format: "hls", mode: "transcode" } as const
          const { output, segments } = yield* CheckedConversion.convert(job)
          const segment = `${output}/${segments.find((name) => name.endsWith(".ts"))}`
          const [picture] = Results.streams(segment)
          assert.deepStrictEqual([picture?.color_range, picture?.color_space], ["tv", matrix])
          assert.notInclude(["smpte2084", "arib-std-b67", "bt2020-10"], picture?.color_transfer)
          // The encoder's own loss.
          assertPatches(segment, tolerance + 2)
        })
    )
  })
})
