/**
 * Implements `Transcoder.ladder`: encodes the lower renditions of a copy, or copies those of the other format.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as Av1Files from "@holdfast/core/transcoding/av1/Av1Files"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import type { TranscodeError } from "@holdfast/core/transcoding/TranscodeError"
import type { EncodedLadder, LadderJob } from "@holdfast/core/transcoding/Transcoder"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Ladder from "./arguments/Ladder.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import * as Tracks from "./arguments/Tracks.ts"
import * as Av1Run from "./Av1Run.ts"
import { type Engine, limitExceeded, type Platform } from "./Engine.ts"
import * as FfmpegRun from "./FfmpegRun.ts"
import * as Demand from "./probing/Demand.ts"
import * as LadderOutput from "./output/LadderOutput.ts"
import * as SourceInput from "./output/SourceInput.ts"

const operation = "ladder"

/** An argument of a program has at most 128 KiB on Linux, and each time has up to ten characters. */
const maxSegments = 12_000

/** Returns when the segments after the first one begin. */
const startsOf = (durations: ReadonlyArray<number>): ReadonlyArray<number> => {
  let at = 0
  return durations.slice(0, -1).map((seconds) => (at += seconds))
}

/** Returns the renditions under the names of their codec. */
const named = (presentation: Presentation, { codec }: LadderJob): Presentation =>
  codec === "av1"
    ? {
        ...presentation,
        renditions: Arr.map(presentation.renditions, (one) => ({ ...one, name: Av1Files.renditionName(one.name) }))
      }
    : presentation

const encode = (engine: Engine, job: LadderJob) =>
  FfmpegRun.stream(
    engine,
    Effect.gen(function* () {
      const { codec, durations, firstTime, format, input, media, output, rungs, suspended } = job
      if (durations.length > maxSegments) return yield* limitExceeded(operation, "The copy has too many segments.")
      const limits = engine.limits(job.limits)
      const scratch = yield* engine.scratchDirectory(operation, input)
      const usual = ConversionPlan.ladder(media, rungs, format)
      // The rungs of AV1 have rates that follow from those of H.264.
      const demand =
        codec === "av1"
          ? undefined
          : yield* Demand.measure(engine, { operation, input, media, limits, suspended }, usual)
      const plan = ConversionPlan.fitTo(usual, media, demand)
      const settings = { codec, preset: engine.preset, threads: limits.threads, keyframes: startsOf(durations) }
      const expected = named(ConversionPlan.toPresentation(plan, { ...media, chapters: [] }, format), job)
      const tracks = { ...Tracks.fromPlan(plan, settings), presentation: expected }
      return {
        operation,
        limits,
        suspended,
        output,
        readable: [input, scratch.directory],
        privatePaths: [scratch.input, scratch.directory, input, output],
        expected,
        folders: expected.renditions.map(({ name }) => name),
        open: LadderOutput.make(durations, codec === "av1" ? expected.renditions[0].name : undefined),
        failIfCutOff: media.durationDeclared,
        arguments: [
          ...Options.make({ ...Input.general, ...Input.file(scratch.input, limits) }),
          ...Ladder.outputs(tracks, format, firstTime, codec === "av1" ? Ladder.laterBy(firstTime ?? 0) : {})
        ]
      }
    })
  )

/** Copies a ladder that was encoded for HLS. Its keyframes begin the segments. */
const copy = (engine: Engine, job: LadderJob, { firstTime, renditions, source }: EncodedLadder) =>
  FfmpegRun.stream(
    engine,
    Effect.gen(function* () {
      const { durations, format, output, suspended } = job
      const limits = engine.limits(job.limits)
      const scratch = yield* engine.scratchDirectory(operation, source)
      const inputs = renditions.map((rendition) => {
        const folder = StreamFiles.segmentPrefix(rendition, false)
        return { init: undefined, folder, segment: (index: number) => StreamFiles.segment(folder, index) }
      })
      const { targets, url } = yield* SourceInput.write(scratch, { operation, source, inputs })
      const duration = durations.reduce((sum, seconds) => sum + seconds, 0)
      const expected: Presentation = { format, duration, hasVideo: true, hasAudio: false, renditions }
      const tracks: Tracks.Tracks = {
        presentation: expected,
        video: renditions.map((_, index) => ({ map: `0:v:${index}`, encode: undefined })),
        audio: undefined,
        otherAudio: [],
        captions: [],
        cutsAtKeyframes: true,
        filters: {}
      }
      return {
        operation,
        limits,
        suspended,
        output,
        readable: [source, scratch.directory, ...targets],
        privatePaths: [scratch.directory, source, output],
        expected,
        folders: renditions.map(({ name }) => name),
        open: LadderOutput.make(durations),
        failIfCutOff: true,
        arguments: [
          ...Options.make({
            ...Input.general,
            ...Input.safety(limits, "hls,mpegts"),
            // The times of the frames are those of the content again.
            copyts: true,
            f: "hls",
            i: url
          }),
          ...Ladder.outputs(tracks, format, undefined, { output_ts_offset: -firstTime })
        ]
      }
    })
  )

export const make =
  (engine: Engine) =>
  (job: LadderJob): Stream.Stream<ConversionEvent, TranscodeError, Platform> => {
    const { codec, encoded, format, output } = job
    if (codec === "av1") return Av1Run.make(engine, job, (one) => encode(engine, one))
    if (encoded === undefined || format !== "dash") return encode(engine, job)
    // The events of a copy that does not fit must not be reported: the encoded segments have the same names.
    const copied = Effect.map(Stream.runCollect(copy(engine, job, encoded)), Stream.fromIterable)
    return Stream.unwrap(
      Effect.catchIf(
        copied,
        ({ reason }) => reason === "Failed",
        () => Effect.as(FfmpegRun.removeOutput(operation, output), encode(engine, job))
      )
    )
  }
