/**
 * Implements `Transcoder.convert`: converts an untrusted file.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import type { Media } from "@holdfast/core/transcoding/Media"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type { ConvertJob } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Dash from "./arguments/Dash.ts"
import * as Hls from "./arguments/Hls.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import * as Tracks from "./arguments/Tracks.ts"
import * as CaptionRun from "./CaptionRun.ts"
import type { Engine, Platform } from "./Engine.ts"
import { limitExceeded } from "./Engine.ts"
import * as FfmpegRun from "./FfmpegRun.ts"
import * as SharedOutput from "./output/SharedOutput.ts"
import * as DecodableAudio from "./probing/DecodableAudio.ts"
import * as Demand from "./probing/Demand.ts"
import * as PlaybackCheck from "./PlaybackCheck.ts"

const operation = "convert"

const copied = ({ video }: ConversionPlan.ConversionPlan): Pick<Presentation, "hasCopiedVideo"> =>
  video._tag === "Copy" ? { hasCopiedVideo: true } : {}

/** Says why a segment of video lacks its audio. Audio that is encoded has no gaps, but may have waited too long for the video. */
const gapDetail = ({ audio }: ConversionPlan.ConversionPlan): string =>
  audio._tag === "Copy"
    ? "The audio has a gap longer than a segment."
    : "The frames of the video are too far apart, or the audio begins too late."

const runPlan = (engine: Engine, job: ConvertJob, plan: ConversionPlan.ConversionPlan) =>
  FfmpegRun.stream(
    engine,
    Effect.gen(function* () {
      const { format, input, mayShare = false, media, output, suspended } = job
      const limits = engine.limits(job.limits)
      // An estimate may be far too long. The run itself ends at the limit.
      if (media.durationDeclared && (media.duration ?? 0) > Duration.toSeconds(limits.duration)) {
        return yield* limitExceeded(operation, "The media is too long.")
      }
      const scratch = yield* engine.scratchDirectory(operation, input)
      const tracks = Tracks.fromPlan(plan, { preset: engine.preset, threads: limits.threads })
      const readable = [input, scratch.directory]
      const privatePaths = [scratch.input, scratch.directory, input, output]
      const shared = { operation, limits, suspended, output, readable, privatePaths }
      const expected = ConversionPlan.toPresentation(plan, media, format)
      const reason = PlaybackCheck.hasCopy(plan) ? "NotCopyable" : "Failed"
      const misaligned = (cause: SharedOutput.Misalignment) =>
        new TranscodeError.TranscodeError({
          operation,
          reason,
          cause,
          detail: cause === SharedOutput.audioGap ? gapDetail(plan) : cause.detail,
          // Audio that is encoded has no gaps.
          nextMode: cause === SharedOutput.audioGap ? "encodeAudio" : undefined
        })
      return {
        ...shared,
        ...(mayShare ? { open: SharedOutput.make(misaligned) } : undefined),
        expected: mayShare ? { ...expected, isShared: true, ...copied(plan) } : expected,
        failIfCutOff: media.durationDeclared,
        writeCaptions: CaptionRun.write(engine, { ...shared, url: scratch.input, tracks }),
        check: (presentation) => PlaybackCheck.run(engine, { operation, limits, plan, output }, presentation),
        arguments: [
          ...Options.make({ ...Input.general, ...Input.file(scratch.input, limits) }),
          ...(format === "hls" && !mayShare ? Hls.outputs(tracks) : Dash.outputs(tracks, mayShare))
        ]
      }
    })
  )

/** Failures that one of several tracks may cause. */
const isOfTrack = ({ reason }: TranscodeError.TranscodeError): boolean =>
  reason === "Failed" || reason === "Unsupported"

/**
 * Converts a file. If no segment has finished when it fails, because of one of the tracks, it is converted again: without the audio tracks
 * of which nothing can be decoded, else with the default audio alone, since ffmpeg exits if it cannot begin one of the tracks.
 */
export const make = (engine: Engine) => (job: ConvertJob) =>
  Stream.suspend(() => {
    const { lines, mode = "auto" } = job
    const limits = engine.limits(job.limits)
    let hasSegment = false
    let progress = 0
    let isRestarted = false
    const note = (event: ConversionEvent) => {
      hasSegment ||= event._tag === "SegmentFinished"
      if (event._tag === "Progressed") progress = event.fraction
    }
    /** Whether an event of a later run continues those of the first. */
    const isNew = (event: ConversionEvent) =>
      !isRestarted || (event._tag !== "Started" && (event._tag !== "Progressed" || event.fraction > progress))
    const again = (next: Stream.Stream<ConversionEvent, TranscodeError.TranscodeError, Platform>) =>
      Effect.map(FfmpegRun.removeOutput(operation, job.output), () => {
        isRestarted = true
        return next
      })

    const runOnce = (media: Media, plan: ConversionPlan.ConversionPlan) =>
      runPlan(engine, { ...job, media }, plan).pipe(
        Stream.filter(isNew),
        Stream.tap((event) => Effect.sync(() => note(event)))
      )
    const run = (media: Media): Stream.Stream<ConversionEvent, TranscodeError.TranscodeError, Platform> => {
      const usual = ConversionPlan.make(media, mode, lines)
      const demand = Demand.measure(engine, { ...job, media, operation, limits }, usual)
      return Stream.unwrap(
        Effect.map(demand, (bitrate) => {
          const plan = ConversionPlan.fitTo(usual, media, bitrate)
          return Stream.catchIf(
            runOnce(media, plan),
            (error) => !hasSegment && isOfTrack(error),
            (error) => Stream.unwrap(recover(media, plan, error))
          )
        })
      )
    }
    const recover = Effect.fnUntraced(function* (
      media: Media,
      plan: ConversionPlan.ConversionPlan,
      error: TranscodeError.TranscodeError
    ) {
      const rest = yield* DecodableAudio.only(engine, { ...job, media, operation, limits })
      if (rest !== media && (rest.video ?? rest.audio) !== null) return yield* again(run(rest))
      if (plan.otherAudio.length === 0) return yield* error
      return yield* again(runOnce(media, { ...plan, defaultAudio: null, otherAudio: [] }))
    })
    return run(job.media)
  })
