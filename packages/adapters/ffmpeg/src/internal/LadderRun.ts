/**
 * Implements `Transcoder.ladder`: encodes the lower renditions of a copy.
 */
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import type { LadderJob } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Ladder from "./arguments/Ladder.ts"
import * as Input from "./arguments/Input.ts"
import * as Options from "./arguments/Options.ts"
import * as Tracks from "./arguments/Tracks.ts"
import { type Engine, limitExceeded } from "./Engine.ts"
import * as FfmpegRun from "./FfmpegRun.ts"
import * as Demand from "./probing/Demand.ts"
import * as LadderOutput from "./output/LadderOutput.ts"

const operation = "ladder"

/** An argument of a program has at most 128 KiB on Linux, and each time has up to ten characters. */
const maxSegments = 12_000

/** Returns when the segments after the first one begin. */
const startsOf = (durations: ReadonlyArray<number>): ReadonlyArray<number> => {
  let at = 0
  return durations.slice(0, -1).map((seconds) => (at += seconds))
}

export const make = (engine: Engine) => (job: LadderJob) =>
  FfmpegRun.stream(
    engine,
    Effect.gen(function* () {
      const { durations, firstTime, format, input, media, output, rungs, suspended } = job
      if (durations.length > maxSegments) return yield* limitExceeded(operation, "The copy has too many segments.")
      const limits = engine.limits(job.limits)
      const scratch = yield* engine.scratchDirectory(operation, input)
      const usual = ConversionPlan.ladder(media, rungs, format)
      const demand = yield* Demand.measure(engine, { operation, input, media, limits, suspended }, usual)
      const plan = ConversionPlan.fitTo(usual, media, demand)
      const settings = { preset: engine.preset, threads: limits.threads, keyframes: startsOf(durations) }
      const expected = ConversionPlan.toPresentation(plan, { ...media, chapters: [] }, format)
      return {
        operation,
        limits,
        suspended,
        output,
        readable: [input, scratch.directory],
        privatePaths: [scratch.input, scratch.directory, input, output],
        expected,
        folders: expected.renditions.map(({ name }) => name),
        open: LadderOutput.make(durations),
        failIfCutOff: media.durationDeclared,
        arguments: [
          ...Options.make({ ...Input.general, ...Input.file(scratch.input, limits) }),
          ...Ladder.outputs(Tracks.fromPlan(plan, settings), format, firstTime)
        ]
      }
    })
  )
