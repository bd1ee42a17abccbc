/**
 * The adapter for programs that do not use Effect.
 */
import type { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import type * as Layer from "effect/Layer"
import * as FfmpegTranscoder from "./FfmpegTranscoder.ts"

/** Returns the `video` option of `open`: converts videos with the FFmpeg of the system, once it is installed. */
export const ffmpeg = (options?: FfmpegTranscoder.Options): { readonly transcoder: Layer.Layer<Transcoder> } => ({
  transcoder: FfmpegTranscoder.layer(options)
})
