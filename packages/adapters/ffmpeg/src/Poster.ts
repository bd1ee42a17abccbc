/**
 * Takes a still from a video.
 */
import * as Ladder from "@holdfast/core/transcoding/Ladder"
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type { Video } from "@holdfast/core/transcoding/Media"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type { PosterJob } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import type { Engine, Platform } from "./Engine.ts"
import { bounded, exceeded } from "./Engine.ts"
import * as ExitError from "./process/ExitError.ts"
import type { Workspace } from "./process/ScratchDirectory.ts"

const operation = "poster"
const still = "poster.jpg"

/** It takes no longer than this, whatever a conversion may take. */
const longest = Duration.minutes(1)

/** Lines of its shorter side. */
const mostLines = 720

const internal = (cause: unknown) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })

const filter = (video: Video): string => {
  const { height, width } = Ladder.fit(video, mostLines)
  const scale = `scale=${width}:${height}:flags=bicubic,setsar=1,format=yuvj420p`
  return video.interlaced ? `bwdif=deint=interlaced,${scale}` : scale
}

/** Writes the still at a moment into the workspace; nothing when there is no frame from then on. */
const take = (engine: Engine, workspace: Workspace, video: Video, limits: Limits.Limits, at: number) =>
  Effect.gen(function* () {
    const child = yield* engine.spawn("ffmpeg", {
      operation,
      limits,
      directory: workspace.directory,
      arguments: [
        ...Options.make({ ...Input.general, ...Input.file(workspace.input, limits, at > 0 ? at : undefined) }),
        ...Options.make({ map: `0:${video.index}`, "frames:v": 1, vf: filter(video), "c:v": "mjpeg", "q:v": 3 }),
        ...Options.make({ map_metadata: -1, f: "image2", update: 1 }),
        still
      ]
    })
    yield* Stream.runDrain(child.text)
    const ending = yield* child.ended
    const names = [workspace.input, workspace.directory]
    if (ending.code !== 0) return yield* ExitError.failure(operation, ending, "Failed", names)
    const files = yield* FileSystem.FileSystem
    return yield* Effect.mapError(files.exists(`${workspace.directory}/${still}`), internal)
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: limits.wallTime,
      orElse: () => Effect.fail(exceeded(operation, "It took too long."))
    })
  )

export const make =
  (engine: Engine) =>
  ({
    at,
    input,
    limits: own,
    media,
    output
  }: PosterJob): Effect.Effect<void, TranscodeError.TranscodeError, Platform> =>
    Effect.gen(function* () {
      const { video } = media
      if (video === null) return yield* new TranscodeError.TranscodeError({ operation, reason: "Unsupported" })
      const limits = bounded(engine.limits(own), longest)
      const workspace = yield* engine.workspace(operation, input)
      const isTaken = at < (media.duration ?? Infinity) && (yield* take(engine, workspace, video, limits, at))
      if (!isTaken && !(yield* take(engine, workspace, video, limits, 0))) {
        return yield* new TranscodeError.TranscodeError({ operation, reason: "Failed", detail: "There is no picture." })
      }
      const files = yield* FileSystem.FileSystem
      // The workspace may be on another file system, so that a rename alone might not do.
      yield* Effect.mapError(
        Effect.andThen(
          files.copyFile(`${workspace.directory}/${still}`, `${output}.tmp`),
          files.rename(`${output}.tmp`, output)
        ),
        internal
      )
    }).pipe(Effect.scoped)
