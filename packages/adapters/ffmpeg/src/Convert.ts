/**
 * Converts a file from a stranger.
 */
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type { ConvertJob } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Dash from "./arguments/Dash.ts"
import * as Hls from "./arguments/Hls.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import * as Tracks from "./arguments/Tracks.ts"
import * as FfmpegRun from "./FfmpegRun.ts"
import type { Engine } from "./Engine.ts"
import { exceeded } from "./Engine.ts"

const operation = "convert"

/** Makes the directories of the lower renditions' segments. */
export const makeFolders = (operation: string, output: string, { format, renditions }: Presentation) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    if (format === "dash") return
    for (const { prefix } of Hls.places(renditions)) {
      if (prefix !== "") yield* files.makeDirectory(`${output}/${prefix}`, { recursive: true })
    }
  }).pipe(Effect.mapError((cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })))

export const make = (engine: Engine) => (job: ConvertJob) =>
  FfmpegRun.run(
    engine,
    Effect.gen(function* () {
      const { format, input, media, mode = "auto", output } = job
      const limits = engine.limits(job.limits)
      if (media.duration !== null && media.duration > Duration.toSeconds(limits.duration)) {
        return yield* exceeded(operation, "It plays too long.")
      }
      const plan = ConversionPlan.make(media, mode)
      const planned: Presentation = {
        format,
        duration: media.duration,
        hasVideo: plan.video._tag !== "None",
        hasAudio: plan.audio._tag !== "None",
        isCopy: ConversionPlan.isCopy(plan),
        renditions: plan.renditions
      }
      const workspace = yield* engine.workspace(operation, input)
      yield* makeFolders(operation, output, planned)
      const tracks = Tracks.fromPlan(plan, { preset: engine.preset, threads: limits.threads })
      return {
        operation,
        limits,
        output,
        planned,
        strict: media.durationDeclared,
        names: [workspace.input, workspace.directory, input, output],
        arguments: [
          ...Options.make({ ...Input.general, ...Input.file(workspace.input, limits) }),
          ...(format === "hls" ? Hls : Dash).outputs(tracks)
        ]
      }
    })
  )
