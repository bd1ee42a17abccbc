/**
 * The layers for the video options of `open`.
 */
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as ConversionWorker from "../../../conversions/worker/ConversionWorker.ts"
import { InvalidRequest } from "../../../Errors.ts"
import * as Transcoder from "../../../transcoding/Transcoder.ts"
import type { OpenOptions, VideoAdapter } from "./OpenOptions.ts"

const isAdapter = (video: OpenOptions["video"]): video is VideoAdapter => typeof video === "object"

/** Returns the transcoder; without one the layer that accepts (`"elsewhere"`) or refuses requests for conversions. */
export const transcoder = ({ video }: OpenOptions): Layer.Layer<Transcoder.Transcoder, unknown> => {
  if (isAdapter(video)) return video.transcoder
  return video === "elsewhere" ? Transcoder.layerElsewhere : Transcoder.layerNone
}

/** Returns the conversion worker where this process converts. Throws `InvalidRequest` for options that exclude it. */
export const worker = (options: OpenOptions) => {
  const { blobs, conversions: concurrency = 1, video } = options
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw InvalidRequest.at("/conversions", "must be a whole number of at least 1")
  }
  if (!isAdapter(video)) return Layer.empty
  const workspace = options.workspace?.workspace ?? blobs.workspace
  if (workspace === undefined) {
    throw InvalidRequest.at("/workspace", "is required to convert videos: the blob adapter has no directory of its own")
  }
  return ConversionWorker.layer({ concurrency }).pipe(Layer.provide(workspace))
}

/** Bytes: the length of the HMAC-SHA-256 output, below which RFC 2104, section 3, discourages keys. */
const minSecretLength = 32

/** Returns the secret that signs playback keys and links. Throws `InvalidRequest` for one that is too short. */
export const signingSecret = ({ signingSecret: bytes }: OpenOptions): Redacted.Redacted<Uint8Array> | undefined => {
  if (bytes === undefined) return undefined
  if (!(bytes instanceof Uint8Array) || bytes.length < minSecretLength) {
    throw InvalidRequest.at("/signingSecret", `must be at least ${minSecretLength} bytes`)
  }
  return Redacted.make(bytes, { label: "SigningSecret" })
}
