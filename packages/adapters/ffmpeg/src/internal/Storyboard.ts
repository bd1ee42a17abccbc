/**
 * Implements `Transcoder.storyboard`: writes small pictures of a video, many in one file.
 */
import * as Color from "@holdfast/core/transcoding/Color"
import type { Video } from "@holdfast/core/transcoding/Media"
import * as Storyboard from "@holdfast/core/transcoding/Storyboard"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type { StoryboardJob } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Colors from "./arguments/Colors.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import type { Engine, Platform } from "./Engine.ts"
import { limitExceeded, withMaxTime } from "./Engine.ts"
import * as Suspending from "./Suspending.ts"
import * as WholeRun from "./WholeRun.ts"

const operation = "storyboard"

/** Of one run, whatever the limits of a conversion are. */
const maxTime = Duration.minutes(2)

/** Seconds. Of a longer video, keyframes alone are decoded: they are much closer to each other than the pictures of its storyboard. */
const wholeUpTo = 60

/** The last frame is repeated for pictures behind it: keyframes may end long before the video. */
const filter = (video: Video, { columns, count, height, interval, rows, width }: Storyboard.Storyboard): string => {
  const color = Color.assume(video.color, video)
  const size = `scale=${width}:${height}:flags=bicubic+accurate_rnd`
  return [
    `fps=fps=1/${interval.toFixed(6)}:start_time=0`,
    "tpad=stop=-1:stop_mode=clone",
    `trim=end_frame=${count}`,
    ...(Color.isWide(color) ? [size] : []),
    ...Colors.before(color),
    `${size}:${Colors.jpegOptions}`,
    "setsar=1",
    "format=yuvj420p",
    `tile=${columns}x${rows}`
  ].join(",")
}

export const make =
  (engine: Engine) =>
  ({
    input,
    limits: own,
    media: { video },
    output,
    storyboard,
    suspended
  }: StoryboardJob): Effect.Effect<void, TranscodeError.TranscodeError, Platform> =>
    Effect.gen(function* () {
      if (video === null) return yield* new TranscodeError.TranscodeError({ operation, reason: "Unsupported" })
      const limits = withMaxTime(engine.limits(own), maxTime)
      const scratch = yield* engine.scratchDirectory(operation, input)
      yield* WholeRun.succeed(engine, [scratch.input, scratch.directory], {
        operation,
        limits,
        suspended,
        directory: scratch.directory,
        readable: [input],
        arguments: [
          ...Options.make({
            ...Input.general,
            skip_frame: storyboard.duration > wholeUpTo ? "nokey" : undefined,
            ...Input.file(scratch.input, limits)
          }),
          ...Options.make({ map: `0:${video.index}`, vf: filter(video, storyboard), fps_mode: "passthrough" }),
          ...Options.make({ "frames:v": storyboard.sheets, "c:v": "mjpeg", "q:v": 5, map_metadata: -1 }),
          ...Options.make({ f: "image2", start_number: 0 }),
          "%d.jpg"
        ]
      })
      const files = yield* FileSystem.FileSystem
      const copySheet = Effect.fnUntraced(function* (name: string, index: number) {
        const path = `${scratch.directory}/${index}.jpg`
        if (!(yield* files.exists(path))) return false
        yield* files.copyFile(path, `${output}/${name}`)
        return true
      })
      const copied = yield* Effect.mapError(
        Effect.forEach(Storyboard.sheetNames(storyboard), copySheet),
        (cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })
      )
      if (copied.includes(false)) {
        return yield* new TranscodeError.TranscodeError({ operation, reason: "Failed", detail: "There is no picture." })
      }
    }).pipe(
      Effect.scoped,
      Effect.raceFirst(
        Effect.andThen(
          Suspending.awaitActive(suspended, maxTime),
          Effect.fail(limitExceeded(operation, "Making the storyboard took too long."))
        )
      )
    )
