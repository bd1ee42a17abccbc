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
import { bounded, exceeded } from "../Engine.ts"
import * as ExitError from "../process/ExitError.ts"
import type { Workspace } from "../process/ScratchDirectory.ts"
import * as Report from "./Report.ts"
import * as ReportedMedia from "./ReportedMedia.ts"

const operation = "probe"

/** A look takes no longer than this, whatever a conversion may take. */
const longest = Duration.seconds(30)

/** Characters of a report; three thousand packets take a tenth of it. */
const mostCharacters = 4_000_000

const refuse = (reason: ReportedMedia.Refusal) => new TranscodeError.TranscodeError({ operation, reason })

const names = (workspace: Workspace) => [workspace.input, workspace.directory]

const look = (engine: Engine, input: string, limits: Limits.Limits) =>
  Effect.gen(function* () {
    const workspace = yield* engine.workspace(operation, input)
    const child = yield* engine.spawn("ffprobe", {
      operation,
      limits,
      directory: workspace.directory,
      arguments: Options.make({
        loglevel: "level+error",
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
    if (ending.code !== 0) return yield* ExitError.failure(operation, ending, "NotMedia", names(workspace))
    const report = yield* Effect.mapError(
      Report.decode(text),
      (cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })
    )
    // Where it found nothing, its words may tell why, as with a picture that is too large.
    return yield* Effect.mapError(Effect.fromResult(ReportedMedia.make(report)), (refusal) =>
      ExitError.failure(operation, ending, refusal, names(workspace))
    )
  })

export const make =
  (engine: Engine) =>
  ({ input, limits: own }: ProbeJob): Effect.Effect<Media, TranscodeError.TranscodeError, Platform> =>
    Effect.gen(function* () {
      const limits = bounded(engine.limits(own), longest)
      const media = yield* Effect.scoped(look(engine, input, limits)).pipe(
        Effect.timeoutOrElse({
          duration: limits.wallTime,
          orElse: () => Effect.fail(exceeded(operation, "Looking into the file took too long."))
        })
      )
      const { video } = media
      if (video !== null && video.width * video.height > limits.pixels) {
        return yield* exceeded(operation, "The picture is too large.")
      }
      return media
    })
