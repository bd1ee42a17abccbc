/**
 * The part of `open` that is about videos.
 */
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { InvalidRequest } from "../Errors.ts"
import * as ConversionWorker from "../conversions/ConversionWorker.ts"
import type { ConversionWorkspace } from "../conversions/ConversionWorkspace.ts"
import * as Transcoder from "../transcoding/Transcoder.ts"
import type { OpenOptions } from "./PromiseApi.ts"

/** A converter of videos, as its package's factory gives it: `ffmpeg()`. */
export interface VideoAdapter {
  readonly transcoder: Layer.Layer<Transcoder.Transcoder, unknown>
}

/** Room for conversions on a local disk, as its package's factory gives it: `workspace({ directory })`. */
export interface WorkspaceAdapter {
  readonly workspace: Layer.Layer<ConversionWorkspace, unknown>
}

const isAdapter = (video: OpenOptions["video"]): video is VideoAdapter => typeof video === "object"

/** What converts, or says that it does not. */
export const transcoder = ({ video }: OpenOptions): Layer.Layer<Transcoder.Transcoder, unknown> => {
  if (isAdapter(video)) return video.transcoder
  return video === "elsewhere" ? Transcoder.layerElsewhere : Transcoder.layerNone
}

/** The worker, where this process is to convert. Throws for options that do not go together. */
export const worker = (options: OpenOptions) => {
  const { blobs, conversions: concurrency = 1, video } = options
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw InvalidRequest.at("/conversions", "must be a whole number of at least 1")
  }
  if (!isAdapter(video)) return Layer.empty
  const workspace = options.workspace?.workspace ?? blobs.workspace
  if (workspace === undefined) {
    throw InvalidRequest.at("/workspace", "is needed to convert videos: these blobs have no directory of their own")
  }
  return ConversionWorker.layer({ concurrency }).pipe(Layer.provide(workspace))
}

/** At least as long as the hash is. */
const leastSecret = 32

export const playbackSecret = ({ playbackSecret: bytes }: OpenOptions): Redacted.Redacted<Uint8Array> | undefined => {
  if (bytes === undefined) return undefined
  if (!(bytes instanceof Uint8Array) || bytes.length < leastSecret) {
    throw InvalidRequest.at("/playbackSecret", `must be at least ${leastSecret} bytes`)
  }
  return Redacted.make(bytes, { label: "PlaybackSecret" })
}
