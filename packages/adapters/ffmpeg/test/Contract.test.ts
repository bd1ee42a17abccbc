import * as Requires from "@holdfast/testing/Requires"
import * as TranscoderContract from "@holdfast/testing/transcoding/TranscoderContract"
import * as Effect from "effect/Effect"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

const samples = Effect.sync(() => ({
  playable: Samples.path("h264.mp4"),
  foreign: Samples.path("mpeg4-480.mkv"),
  silent: Samples.path("silent.mp4"),
  audio: Samples.path("sound.m4a"),
  cut: Samples.path("cut.webm")
}))

Requires.requires(Tools.missing).describe("FFmpeg", () => {
  TranscoderContract.suite("FfmpegTranscoder", FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), samples)
})
