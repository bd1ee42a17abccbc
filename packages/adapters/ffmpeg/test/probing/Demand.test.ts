import { assert, describe, it, vi } from "@effect/vitest"
import * as Ladder from "@holdfast/core/transcoding/Ladder"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FfmpegTranscoder from "../../src/FfmpegTranscoder.ts"
import * as Demand from "../../src/internal/probing/Demand.ts"
import * as Samples from "../support/Samples.ts"
import * as Tools from "../support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe("sampleTimes", () => {
  it.each([
    [null, []],
    [60, []],
    [140, [70]],
    [400, [200 / 3, 200, 1000 / 3]],
    [7200, [720, 2160, 3600, 5040, 6480]]
  ])("%j s → in the middle of equal parts, at most 3 % of the video", (duration, expected) => {
    const times = Demand.sampleTimes(duration)
    assert.strictEqual(times.length, expected.length)
    for (const [index, time] of expected.entries()) assert.approximately(times[index] ?? NaN, time, 0.001)
  })
})

/** Returns the bitrate of the best rendition that a conversion or a ladder is to make. */
const expectedBitrate = (name: Parameters<typeof Samples.path>[0], perTitle: boolean, behindCopy = false) =>
  Effect.gen(function* () {
    const transcoder = yield* Transcoder
    const input = Samples.path(name)
    const [media, output] = [yield* transcoder.probe({ input }), yield* directory]
    const [rung] = Ladder.rungs({ width: 640, height: 360, codec: "h264", bitrate: null, frameRate: 2 })
    const job = { input, media: { ...media, bitrate: null }, output, format: "hls" } as const
    const events = behindCopy
      ? transcoder.ladder({ ...job, rungs: [rung], durations: [media.duration ?? 0] })
      : transcoder.convert({ ...job, mode: "transcode" })
    const [started] = yield* Stream.runCollect(Stream.take(events, 1))
    if (started?._tag !== "Started") return assert.fail("the first event is Started")
    return started.presentation.renditions[0].bitrate / rung.maxBitrate
  }).pipe(Effect.provide(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast", perTitle })), Effect.scoped)

Requires.requires(Tools.missing).describe("bitrates of a title", () => {
  it.live.each([
    ["noise.mkv", false, false, 1],
    ["noise.mkv", true, false, 1.6],
    ["still.mkv", true, false, 0.5],
    ["noise.mkv", true, true, 1.6]
  ] as const)(
    "%s, per title: %s, behind a copy: %s → %d times the usual bitrate",
    ([name, perTitle, behindCopy, factor]) =>
      Effect.map(expectedBitrate(name, perTitle, behindCopy), (actual) => assert.approximately(actual, factor, 0.02))
  )
})
