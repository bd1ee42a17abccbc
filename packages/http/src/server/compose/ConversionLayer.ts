/**
 * The layers for converting videos: the transcoder and the workers of this node.
 */
import type { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import type { ConversionNotifier } from "@holdfast/core/conversions/ConversionNotifier"
import * as ConversionWorker from "@holdfast/core/conversions/worker/ConversionWorker"
import type { WorkspaceError } from "@holdfast/core/conversions/worker/ConversionWorkspace"
import type { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import type { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type { Limits } from "@holdfast/core/transcoding/Limits"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as FsConversionWorkspace from "@holdfast/fs/FsConversionWorkspace"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "node:path"
import type { Config } from "../config/Config.ts"
import * as OptionalPackage from "../config/OptionalPackage.ts"
import * as MetadataLayer from "./MetadataLayer.ts"

/** The directory in the data directory for the working files of conversions. */
const workspaceDirectory = "conversions"

type LimitSettings = Pick<
  Config,
  | "conversionMemory"
  | "conversionOutputBytes"
  | "conversionThreads"
  | "conversionTimeout"
  | "videoDuration"
  | "videoPixels"
>

const limits = (config: LimitSettings): Partial<Limits> => ({
  duration: config.videoDuration,
  pixels: config.videoPixels,
  wallTime: config.conversionTimeout,
  cpuTime: Duration.times(config.conversionTimeout, 2),
  outputBytes: config.conversionOutputBytes,
  memoryBytes: config.conversionMemory,
  threads: config.conversionThreads
})

/** The user as which ffmpeg runs, if it is not that of this process: only root can change it. */
const otherUser = ({ ffmpegUser }: Pick<Config, "ffmpegUser">) =>
  process.getuid?.() === 0 && ffmpegUser.uid !== 0 ? ffmpegUser : undefined

const logNoConverter = (detail: string | undefined): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logInfo("no video converter; requests for conversions are rejected"), { detail })

/** Finds ffmpeg, so that the log has its confinement from the start. It may be installed later. */
const logTranscoder = Effect.flatMap(Transcoder.Transcoder, ({ check }) =>
  Effect.catch(check, ({ detail }) => logNoConverter(detail))
).pipe(Effect.forkScoped, Layer.effectDiscard)

/**
 * The transcoder. On a node without workers, requests for conversions are accepted only if the database can be shared
 * with nodes that have workers, which a database in the data directory cannot.
 */
export const layerTranscoder = (
  config: Pick<
    Config,
    | "conversionNiceness"
    | "conversions"
    | "databaseUrl"
    | "ffmpeg"
    | "ffmpegSandbox"
    | "ffmpegUser"
    | "videoPerTitle"
    | "videoPreset"
  >
): Layer.Layer<Transcoder.Transcoder> => {
  if (config.conversions === 0) {
    return MetadataLayer.isEmbedded(config) ? Transcoder.layerNone : Transcoder.layerElsewhere
  }
  const {
    conversionNiceness: niceness,
    ffmpeg,
    ffmpegSandbox: sandbox,
    videoPerTitle: perTitle,
    videoPreset: preset
  } = config
  return OptionalPackage.load("@holdfast/ffmpeg", () => import("@holdfast/ffmpeg/FfmpegTranscoder")).pipe(
    Effect.map((FfmpegTranscoder) =>
      Layer.provideMerge(
        logTranscoder,
        FfmpegTranscoder.layer({ ffmpeg, niceness, perTitle, preset, sandbox, user: otherUser(config) })
      )
    ),
    Effect.catch(({ installation }) => Effect.as(logNoConverter(installation), Transcoder.layerNone)),
    Layer.unwrap
  )
}

/** The workers of this node. Building the layer removes the working files that earlier processes left behind. */
export const layerWorker = (
  config: LimitSettings & Pick<Config, "conversions" | "conversionSlice" | "dataDir" | "diskReserve" | "ffmpegUser">
): Layer.Layer<
  never,
  WorkspaceError,
  | BlobRepository
  | BlobStore
  | ConversionRepository
  | ConversionNotifier
  | PosterRepository
  | SecureRandom
  | Transcoder.Transcoder
> =>
  config.conversions === 0
    ? Layer.empty
    : ConversionWorker.layer({
        concurrency: config.conversions,
        slice: config.conversionSlice,
        limits: limits(config)
      }).pipe(
        Layer.provide(
          FsConversionWorkspace.layer({
            directory: Path.join(config.dataDir, workspaceDirectory),
            forOtherUser: otherUser(config) !== undefined,
            reserveBytes: config.diskReserve
          })
        )
      )
