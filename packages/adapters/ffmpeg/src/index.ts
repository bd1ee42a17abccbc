/**
 * The adapter for programs that do not use Effect.
 */
import * as Is from "@holdfast/core/inputs/OptionChecks"
import * as AdapterOptions from "@holdfast/core/promises/AdapterOptions"
import { presets } from "@holdfast/core/transcoding/Ladder"
import type { Limits } from "@holdfast/core/transcoding/Limits"
import type { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import type * as Layer from "effect/Layer"
import * as FfmpegTranscoder from "./FfmpegTranscoder.ts"

const check = Is.record({
  ffmpeg: Is.path,
  temporaryDirectory: Is.path,
  limits: Is.record({
    duration: Is.timeout,
    pixels: Is.count(1),
    outputBytes: Is.count(1),
    wallTime: Is.timeout,
    cpuTime: Is.timeout,
    memoryBytes: Is.count(1),
    threads: Is.count(1)
  } satisfies AdapterOptions.Checks<Limits>),
  preset: Is.choice(...presets),
  perTitle: Is.boolean,
  stallTimeout: Is.timeout,
  niceness: Is.when((value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 19, "must be 0 to 19"),
  sandbox: Is.choice("auto", "required", "off"),
  user: Is.record(
    { uid: Is.count(0), gid: Is.count(0) },
    { uid: "the number of the user", gid: "the number of its group" }
  )
} satisfies AdapterOptions.Checks<FfmpegTranscoder.Options>)

/**
 * Returns the `video` option of `open`: converts videos with the FFmpeg of the system, once it is installed. Throws `InvalidRequest` for
 * options that are not valid.
 */
export const ffmpeg = (options: FfmpegTranscoder.Options = {}): { readonly transcoder: Layer.Layer<Transcoder> } => ({
  transcoder: FfmpegTranscoder.layer(AdapterOptions.read("ffmpeg", options, check))
})
