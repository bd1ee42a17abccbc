/**
 * Looks into a file with ffprobe.
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
import { exceeded } from "../Engine.ts"
import * as Messages from "../process/Messages.ts"
import * as Report from "./Report.ts"
import * as ReportedMedia from "./ReportedMedia.ts"

const operation = "probe"

/** A look takes no longer than this, whatever a conversion may take. */
const longest = Duration.seconds(30)

/** Characters of a report; three thousand packets take a tenth of it. */
const mostCharacters = 4_000_000

const refuse = (reason: ReportedMedia.Refusal) => new TranscodeError.TranscodeError({ operation, reason })

const bounded = (limits: Limits.Limits): Limits.Limits => ({
  ...limits,
  wallTime: Duration.min(limits.wallTime, longest),
  cpuTime: Duration.min(limits.cpuTime, longest)
})

const report = (engine: Engine, input: string, limits: Limits.Limits) =>
  Effect.gen(function* () {
    const workspace = yield* engine.workspace(operation, input)
    const child = yield* engine.spawn("ffprobe", {
      operation,
      limits,
      directory: workspace.directory,
      arguments: Options.make({
        v: "error",
        hide_banner: true,
        ...Input.safety(limits),
        threads: limits.threads,
        ...Report.request,
        i: workspace.input
      })
    })
    const text = yield* Stream.runFoldEffect(
      child.text,
      () => "",
      (sum, part) => (sum.length > mostCharacters ? Effect.fail(refuse("Unsupported")) : Effect.succeed(sum + part))
    )
    const ending = yield* child.ended
    return ending.code === 0
      ? text
      : yield* Messages.failure(operation, ending, "NotMedia", [workspace.input, workspace.directory])
  })

export const make =
  (engine: Engine) =>
  ({ input, limits: own }: ProbeJob): Effect.Effect<Media, TranscodeError.TranscodeError, Platform> =>
    Effect.gen(function* () {
      const limits = bounded(engine.limits(own))
      const text = yield* Effect.scoped(report(engine, input, limits)).pipe(
        Effect.timeoutOrElse({
          duration: limits.wallTime,
          orElse: () => Effect.fail(exceeded(operation, "Looking into the file took too long."))
        })
      )
      const decoded = yield* Effect.mapError(
        Report.decode(text),
        (cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })
      )
      const media = yield* Effect.mapError(Effect.fromResult(ReportedMedia.make(decoded)), refuse)
      const { video } = media
      if (video !== null && video.width * video.height > limits.pixels) {
        return yield* exceeded(operation, "The picture is too large.")
      }
      return media
    })
