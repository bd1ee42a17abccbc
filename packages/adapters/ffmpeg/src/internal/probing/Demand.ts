/**
 * Measures how many bits the pictures of a video need: encodes short samples of the best size with the quality of the ladder, and without
 * a maximum bitrate.
 */
import type { ConversionPlan } from "@holdfast/core/transcoding/ConversionPlan"
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type { Media } from "@holdfast/core/transcoding/Media"
import type { TranscodeError } from "@holdfast/core/transcoding/TranscodeError"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Encoding from "../arguments/Encoding.ts"
import * as Input from "../arguments/Input.ts"
import * as Options from "../arguments/Options.ts"
import * as Tracks from "../arguments/Tracks.ts"
import { type Engine, withMaxTime } from "../Engine.ts"
import * as Suspending from "../Suspending.ts"
import * as WholeRun from "../WholeRun.ts"

/** Seconds: as long as a segment, so that the keyframe has its usual part of the bits. */
const sampleSeconds = Encoding.segmentSeconds

/** The part of the video that is sampled. Its best size takes about half of the processor time of a conversion. */
const sampledPart = 0.03

/** Videos of eleven minutes and longer have as many. */
const maxSamples = 5

/** Of all samples. A measurement that takes longer is given up: the ladder keeps its usual bitrates. */
const maxTime = Duration.minutes(2)

/** Returns when the samples begin, in seconds: in the middle of equal parts of the video. A short video has none. */
export const sampleTimes = (duration: number | null): ReadonlyArray<number> => {
  const seconds = duration ?? 0
  const count = Math.min(maxSamples, Math.floor((seconds * sampledPart) / sampleSeconds))
  return Array.from({ length: Math.max(0, count) }, (_, index) => ((index + 0.5) / count) * seconds)
}

export interface Job {
  readonly operation: string
  readonly input: string
  readonly media: Media
  readonly limits: Limits.Limits
  readonly suspended?: Suspending.Suspended
}

/** Returns the plan of the best size alone, without audio. */
const bestOf = (plan: ConversionPlan): ConversionPlan => ({
  ...plan,
  audio: { _tag: "None" },
  otherAudio: [],
  video: plan.video._tag === "Encode" ? { ...plan.video, rungs: [plan.video.rungs[0]] } : plan.video,
  renditions: [Arr.headNonEmpty(plan.renditions)]
})

const sampleName = "sample.h264"

/** Encodes one sample. Returns its bits per second. */
const measureAt = Effect.fnUntraced(function* (engine: Engine, job: Job, plan: ConversionPlan, at: number) {
  const { input, operation, suspended } = job
  const limits = withMaxTime(job.limits, maxTime)
  const scratch = yield* engine.scratchDirectory(operation, input)
  const { filters, video } = Tracks.fromPlan(bestOf(plan), {
    preset: engine.preset,
    threads: limits.threads,
    isUnlimited: true
  })
  const { code } = yield* WholeRun.exitOf(engine, {
    operation,
    limits,
    suspended,
    directory: scratch.directory,
    readable: [input, scratch.directory],
    arguments: [
      ...Options.make({ ...Input.general, ...Input.file(scratch.input, limits, at) }),
      ...Options.make(filters),
      ...video.flatMap((track) => Options.make(Encoding.video(track, "v"))),
      ...Options.make({ ...Encoding.output, t: sampleSeconds, f: "h264" }),
      sampleName
    ]
  })
  const { size } = yield* (yield* FileSystem.FileSystem).stat(`${scratch.directory}/${sampleName}`)
  return code === 0 && size > 0n ? (8 * Number(size)) / sampleSeconds : undefined
}, Effect.scoped)

/**
 * Returns the bits per second that the sample with the most needs in the best size of a plan. Undefined if nothing is encoded, if the
 * video is too short for samples, or if they could not be measured.
 */
export const measure = (engine: Engine, job: Job, plan: ConversionPlan) => {
  const times = engine.perTitle && plan.video._tag === "Encode" ? sampleTimes(job.media.duration) : []
  if (times.length === 0) return Effect.undefined
  return Effect.forEach(times, (at) => measureAt(engine, job, plan, at)).pipe(
    Effect.map((rates) => {
      const known = rates.filter((rate) => rate !== undefined)
      return known.length === 0 ? undefined : Math.max(...known)
    }),
    Effect.raceFirst(Effect.as(Suspending.awaitActive(job.suspended, maxTime), undefined)),
    Effect.catch((error: TranscodeError | { readonly _tag: string; readonly message: string }) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning("bitrate of a video not measured; the usual ones apply"), {
          detail: error.message
        }),
        undefined
      )
    )
  )
}
