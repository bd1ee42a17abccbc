/**
 * Writes the drafts of captions, in a run of its own after that of video and audio. ffmpeg exits at the first text that it cannot convert:
 * a broken track of text loses the captions, never the video.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Captions from "./arguments/Captions.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import type * as Tracks from "./arguments/Tracks.ts"
import type { Engine, Platform } from "./Engine.ts"
import { limitExceeded, withMaxTime } from "./Engine.ts"
import type { FfmpegRun } from "./FfmpegRun.ts"
import * as CaptionOutput from "./output/CaptionOutput.ts"
import * as Suspending from "./Suspending.ts"
import * as WholeRun from "./WholeRun.ts"

/**
 * Of a run, whatever the limits of a conversion are. ffmpeg reads the file once and decodes nothing but text. For a cue of 1 MiB, it takes
 * eight seconds of processor time: a hostile track must not take hours.
 */
const maxTime = Duration.minutes(30)
const maxProcessorTime = Duration.minutes(3)

interface CaptionRun extends Pick<
  FfmpegRun,
  "limits" | "operation" | "output" | "privatePaths" | "readable" | "suspended"
> {
  /** The address of the input. */
  readonly url: string
  readonly tracks: Tracks.Tracks
}

const run = (engine: Engine, { limits: all, operation, privatePaths, suspended, tracks, url, ...paths }: CaptionRun) =>
  Effect.gen(function* () {
    // A file ends at `maxBytes` with a whole cue, of which ffmpeg writes at most 1 MiB.
    const limits = {
      ...withMaxTime(all, maxTime),
      cpuTime: Duration.min(all.cpuTime, maxProcessorTime),
      outputBytes: Math.min(all.outputBytes, 2 * Captions.maxBytes)
    }
    const whole = WholeRun.succeed(engine, privatePaths, {
      operation,
      limits,
      suspended,
      directory: paths.output,
      readable: paths.readable,
      arguments: [...Options.make({ ...Input.general, ...Input.file(url, limits) }), ...Captions.outputs(tracks)]
    })
    yield* Effect.raceFirst(
      whole,
      Effect.andThen(
        Suspending.awaitActive(suspended, limits.wallTime),
        Effect.fail(limitExceeded(operation, "Reading the captions took too long."))
      )
    )
  }).pipe(Effect.scoped)

/** Failures that are about the content. */
const isOfContent = ({ reason }: TranscodeError.TranscodeError): boolean =>
  reason === "Failed" || reason === "LimitExceeded" || reason === "Unsupported"

const removeDrafts = ({ operation, output, tracks }: CaptionRun) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    for (const { rendition } of tracks.captions) {
      yield* files.remove(`${output}/${CaptionOutput.draftName(rendition)}`, { force: true })
    }
  }).pipe(Effect.mapError((cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })))

/** Writes a draft for each of the captions; none if a text cannot be converted. */
export const write = (
  engine: Engine,
  captions: CaptionRun
): Effect.Effect<void, TranscodeError.TranscodeError, Platform> =>
  captions.tracks.captions.length === 0
    ? Effect.void
    : Effect.catchIf(run(engine, captions), isOfContent, ({ message, reason }) =>
        Effect.annotateLogs(Effect.logWarning("captions of a video not created"), { reason, detail: message }).pipe(
          Effect.andThen(removeDrafts(captions))
        )
      )
