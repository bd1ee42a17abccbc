/**
 * Implements `Transcoder.poster`: writes one frame of a video.
 */
import * as Color from "@holdfast/core/transcoding/Color"
import * as Ladder from "@holdfast/core/transcoding/Ladder"
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type { Video } from "@holdfast/core/transcoding/Media"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type { PosterJob } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Colors from "./arguments/Colors.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import type { Engine, Platform } from "./Engine.ts"
import { limitExceeded, withMaxTime } from "./Engine.ts"
import type { ScratchDirectory } from "./process/ScratchDirectory.ts"
import * as WholeRun from "./WholeRun.ts"

const operation = "poster"
const frameName = "poster.jpg"

/** Of one run, whatever the limits of a conversion are. */
const maxTime = Duration.minutes(1)

/** Lines of the shorter side. */
const maxLines = 720

const internal = (cause: unknown) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })

const filter = (video: Video): string => {
  const { height, width } = Ladder.fit(video, maxLines)
  const color = Color.assume(video.color, video)
  const size = `scale=${width}:${height}:flags=bicubic+accurate_rnd+full_chroma_int`
  return [
    ...(video.interlaced ? ["bwdif=deint=interlaced"] : []),
    ...(Color.isWide(color) ? [size] : []),
    ...Colors.before(color),
    `${size}:${Colors.jpegOptions}`,
    "setsar=1",
    "format=yuvj420p"
  ].join(",")
}

/** Writes the first frame from `at` (seconds) on into the scratch directory. Returns whether there is one. */
const writeFrame = (
  engine: Engine,
  { input, limits, scratch, video }: { input: string; scratch: ScratchDirectory; video: Video; limits: Limits.Limits },
  at: number
) =>
  Effect.gen(function* () {
    yield* WholeRun.succeed(engine, [scratch.input, scratch.directory], {
      operation,
      limits,
      directory: scratch.directory,
      readable: [input],
      arguments: [
        ...Options.make({ ...Input.general, ...Input.file(scratch.input, limits, at > 0 ? at : undefined) }),
        ...Options.make({ map: `0:${video.index}`, "frames:v": 1, vf: filter(video), "c:v": "mjpeg", "q:v": 3 }),
        ...Options.make({ map_metadata: -1, f: "image2", update: 1 }),
        frameName
      ]
    })
    const files = yield* FileSystem.FileSystem
    return yield* Effect.mapError(files.exists(`${scratch.directory}/${frameName}`), internal)
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: limits.wallTime,
      orElse: () => Effect.fail(limitExceeded(operation, "Making the poster took too long."))
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
      const limits = withMaxTime(engine.limits(own), maxTime)
      const scratch = yield* engine.scratchDirectory(operation, input)
      const frame = { input, scratch, video, limits }
      const isWritten = at < (media.duration ?? Infinity) && (yield* writeFrame(engine, frame, at))
      if (!isWritten && !(yield* writeFrame(engine, frame, 0))) {
        return yield* new TranscodeError.TranscodeError({ operation, reason: "Failed", detail: "There is no picture." })
      }
      const files = yield* FileSystem.FileSystem
      // A rename alone would fail if the scratch directory is on another file system.
      yield* Effect.mapError(
        Effect.andThen(
          files.copyFile(`${scratch.directory}/${frameName}`, `${output}.tmp`),
          files.rename(`${output}.tmp`, output)
        ),
        internal
      )
    }).pipe(Effect.scoped)
