/**
 * Implements `Transcoder.probe`, with ffprobe.
 */
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type { Media } from "@holdfast/core/transcoding/Media"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type { ProbeJob } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Input from "../arguments/Input.ts"
import * as Options from "../arguments/Options.ts"
import type { Engine, Platform } from "../Engine.ts"
import { limitExceeded, withMaxTime } from "../Engine.ts"
import * as ExitError from "../process/ExitError.ts"
import type { ScratchDirectory } from "../process/ScratchDirectory.ts"
import * as Report from "./Report.ts"
import * as ReportedMedia from "./ReportedMedia.ts"

const operation = "probe"

/** Of one run, whatever the limits of a conversion are. */
const maxTime = Duration.seconds(30)

/** Characters of a report. Three thousand packets need a tenth of that. */
const maxCharacters = 4_000_000

const privatePaths = (scratch: ScratchDirectory) => [scratch.input, scratch.directory]

const runFfprobe = Effect.fnUntraced(function* (engine: Engine, input: string, limits: Limits.Limits) {
  const scratch = yield* engine.scratchDirectory(operation, input)
  const child = yield* engine.spawn("ffprobe", {
    operation,
    limits,
    directory: scratch.directory,
    readable: [input],
    arguments: Options.make({
      loglevel: "level+error",
      hide_banner: true,
      ...Input.safety(limits),
      threads: limits.threads,
      ...Report.request,
      i: scratch.input
    })
  })
  const text = yield* Stream.runFoldEffect(
    child.stdout,
    () => "",
    (sum, part) =>
      sum.length > maxCharacters
        ? Effect.fail(
            limitExceeded(operation, "The file has too many tracks or chapters, or their titles are too long.")
          )
        : Effect.succeed(sum + part)
  )
  const exit = yield* child.exit
  if (exit.code !== 0) return yield* ExitError.fromExit(operation, exit, "NotMedia", privatePaths(scratch))
  const report = yield* Effect.mapError(
    Report.decode(text),
    (cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })
  )
  // If the report has no media, the messages may show why, as for a picture that is too large.
  return yield* Effect.mapError(Effect.fromResult(ReportedMedia.fromReport(report)), (refusal) =>
    ExitError.fromExit(operation, exit, refusal, privatePaths(scratch))
  )
})

export const make =
  (engine: Engine) =>
  ({ input, limits: own }: ProbeJob): Effect.Effect<Media, TranscodeError.TranscodeError, Platform> =>
    Effect.gen(function* () {
      const limits = withMaxTime(engine.limits(own), maxTime)
      const media = yield* Effect.scoped(runFfprobe(engine, input, limits)).pipe(
        Effect.timeoutOrElse({
          duration: limits.wallTime,
          orElse: () => Effect.fail(limitExceeded(operation, "Probing the file took too long."))
        })
      )
      const { video } = media
      if (video !== null && video.width * video.height > limits.pixels) {
        return yield* limitExceeded(operation, "The picture is too large.")
      }
      return media
    })
