/**
 * Implements `Transcoder.ladder`: encodes the lower renditions of a copy.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as Av1Files from "@holdfast/core/transcoding/av1/Av1Files"
import type { TranscodeError } from "@holdfast/core/transcoding/TranscodeError"
import type { LadderJob } from "@holdfast/core/transcoding/Transcoder"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as Ladder from "./arguments/Ladder.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import * as Tracks from "./arguments/Tracks.ts"
import * as Av1Run from "./Av1Run.ts"
import { type Engine, limitExceeded, type Platform } from "./Engine.ts"
import * as FfmpegRun from "./FfmpegRun.ts"
import * as Demand from "./probing/Demand.ts"
import * as LadderOutput from "./output/LadderOutput.ts"

const operation = "ladder"

/** An argument of a program has at most 128 KiB on Linux, and each time has up to ten characters. */
const maxSegments = 12_000

/** Returns when the segments after the first one begin. */
const startsOf = ({ begin = 0, durations }: LadderJob): ReadonlyArray<number> => {
  let at = begin
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
      const settings = { codec, preset: engine.preset, threads: limits.threads, keyframes: startsOf(job) }
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
          ...Ladder.outputs(tracks, format, firstTime, codec === "av1" ? Ladder.laterBy(firstTime ?? 0) : {}),
          ...(expected.hasAudio ? [] : Ladder.unwritten(media))
        ]
      }
    })
  )

export const make =
  (engine: Engine) =>
  (job: LadderJob): Stream.Stream<ConversionEvent, TranscodeError, Platform> =>
    job.codec === "av1" ? Av1Run.make(engine, job, (one) => encode(engine, one)) : encode(engine, job)
