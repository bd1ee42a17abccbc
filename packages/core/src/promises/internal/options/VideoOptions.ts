/**
 * The layers for the video options of `open`.
 */
import * as Layer from "effect/Layer"
import * as ConversionWorker from "../../../conversions/worker/ConversionWorker.ts"
import * as Transcoder from "../../../transcoding/Transcoder.ts"
import type { OpenOptions, VideoAdapter } from "./OpenOptions.ts"

const isAdapter = (video: OpenOptions["video"]): video is VideoAdapter => typeof video === "object"

/** Returns the transcoder; without one the layer that accepts (`"elsewhere"`) or refuses requests for conversions. */
export const transcoder = ({ video }: OpenOptions): Layer.Layer<Transcoder.Transcoder, unknown> => {
  if (isAdapter(video)) return video.transcoder
  return video === "elsewhere" ? Transcoder.layerElsewhere : Transcoder.layerNone
}

/** Returns the conversion worker where this process converts. */
export const worker = ({ blobs, conversions: concurrency = 1, video, ...options }: OpenOptions) => {
  const workspace = options.workspace?.workspace ?? blobs.workspace
  if (!isAdapter(video) || workspace === undefined) return Layer.empty
  return ConversionWorker.layer({ concurrency }).pipe(Layer.provide(workspace))
}
