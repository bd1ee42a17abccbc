/**
 * What the service does about videos: which converter it has, and how many conversions run here at once.
 */
import type { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import type { ConversionNotifier } from "@holdfast/core/conversions/ConversionNotifier"
import * as ConversionWorker from "@holdfast/core/conversions/worker/ConversionWorker"
import type { WorkspaceError } from "@holdfast/core/conversions/worker/ConversionWorkspace"
import type { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type { Limits } from "@holdfast/core/transcoding/Limits"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as FsConversionWorkspace from "@holdfast/fs/FsConversionWorkspace"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "node:path"
import type { Config } from "../config/Config.ts"
import * as Metadata from "./Metadata.ts"

type Settings = Pick<
  Config,
  | "conversionMemory"
  | "conversionOutputBytes"
  | "conversionThreads"
  | "conversionTimeout"
  | "conversions"
  | "databasePool"
  | "databaseUrl"
  | "dataDir"
  | "ffmpeg"
  | "videoDuration"
>

/** In the data directory: the place of each conversion that runs. */
export const directoryName = "conversions"

const limits = (config: Settings): Partial<Limits> => ({
  duration: config.videoDuration,
  wallTime: config.conversionTimeout,
  outputBytes: config.conversionOutputBytes,
  memoryBytes: config.conversionMemory,
  threads: config.conversionThreads
})

/** Without workers here, nodes that share the database may have some; nobody shares one in the data directory. */
export const transcoder = (config: Settings): Layer.Layer<Transcoder.Transcoder> => {
  if (config.conversions === 0) {
    return Metadata.isEmbedded(config) ? Transcoder.layerNone : Transcoder.layerElsewhere
  }
  return Layer.unwrap(
    Effect.promise(async () => {
      const FfmpegTranscoder = await import("@holdfast/ffmpeg/FfmpegTranscoder")
      return FfmpegTranscoder.layer({ ffmpeg: config.ffmpeg })
    })
  )
}

/** The workers of this node. What dead attempts left is removed first. */
export const worker = (
  config: Settings
): Layer.Layer<
  never,
  WorkspaceError,
  BlobRepository | BlobStore | ConversionRepository | ConversionNotifier | SecureRandom | Transcoder.Transcoder
> =>
  config.conversions === 0
    ? Layer.empty
    : ConversionWorker.layer({ concurrency: config.conversions, limits: limits(config) }).pipe(
        Layer.provide(FsConversionWorkspace.layer({ directory: Path.join(config.dataDir, directoryName) }))
      )
