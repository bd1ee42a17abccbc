/**
 * Implements `Transcoder.convert`: converts an untrusted file.
 */
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import type { ConvertJob } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Dash from "./arguments/Dash.ts"
import * as Hls from "./arguments/Hls.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import * as Tracks from "./arguments/Tracks.ts"
import type { Engine } from "./Engine.ts"
import { limitExceeded } from "./Engine.ts"
import * as FfmpegRun from "./FfmpegRun.ts"
import * as PlaybackCheck from "./PlaybackCheck.ts"

const operation = "convert"

export const make = (engine: Engine) => (job: ConvertJob) =>
  FfmpegRun.stream(
    engine,
    Effect.gen(function* () {
      const { format, input, media, mode = "auto", output } = job
      const limits = engine.limits(job.limits)
      // An estimate may be far too long. The run itself ends at the limit.
      if (media.durationDeclared && (media.duration ?? 0) > Duration.toSeconds(limits.duration)) {
        return yield* limitExceeded(operation, "The media is too long.")
      }
      const plan = ConversionPlan.make(media, mode)
      const scratch = yield* engine.scratchDirectory(operation, input)
      const tracks = Tracks.fromPlan(plan, { preset: engine.preset, threads: limits.threads })
      return {
        operation,
        limits,
        suspended: job.suspended,
        output,
        readable: [input, scratch.directory],
        expected: ConversionPlan.toPresentation(plan, media, format),
        failIfCutOff: media.durationDeclared,
        check: (presentation) => PlaybackCheck.run(engine, { operation, limits, plan, output }, presentation),
        privatePaths: [scratch.input, scratch.directory, input, output],
        arguments: [
          ...Options.make({ ...Input.general, ...Input.file(scratch.input, limits) }),
          ...(format === "hls" ? Hls : Dash).outputs(tracks)
        ]
      }
    })
  )
