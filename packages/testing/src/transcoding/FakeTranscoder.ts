/**
 * A Transcoder that needs no program: its inputs are `FakeMedia`, its results tiny and always the same, and a test decides how
 * far it comes (`TranscoderScript`).
 */
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import * as Limits from "@holdfast/core/transcoding/Limits"
import type { Media } from "@holdfast/core/transcoding/Media"
import type { Format, Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs"
import * as FakeRun from "./FakeRun.ts"
import * as FakeMedia from "./FakeMedia.ts"
import * as FakeOutput from "./FakeOutput.ts"
import * as FakeControl from "./FakeControl.ts"
import { TranscoderControl } from "./TranscoderControl.ts"

export interface Fake {
  readonly transcoder: Transcoder["Service"]
  readonly script: TranscoderControl["Service"]
}

const { attempt, failure, write } = FakeRun

const read = (operation: string, input: string) =>
  Effect.flatMap(
    attempt(operation, () => Fs.readFileSync(input)),
    (content) => Effect.mapError(Effect.fromOption(FakeMedia.parse(content)), () => failure(operation, "NotMedia"))
  )

const limitsOf = (own: Partial<Limits.Limits> | undefined): Limits.Limits => ({ ...Limits.defaults, ...own })

const refuseLong = (operation: string, { duration }: Media, limits: Limits.Limits) =>
  (duration ?? 0) > Duration.toSeconds(limits.duration)
    ? Effect.fail(failure(operation, "LimitExceeded", "It plays too long."))
    : Effect.void

const plan = (media: Media, mode: ConversionPlan.Mode, format: Format): Presentation => {
  const { audio, renditions, video } = ConversionPlan.make(media, mode)
  return {
    format,
    duration: media.duration,
    hasVideo: video._tag !== "None",
    hasAudio: audio._tag !== "None",
    isCopy: ConversionPlan.isCopy({ audio, video }),
    renditions
  }
}

/** A fake of its own, with its handle. */
export const make: Effect.Effect<Fake> = Effect.map(FakeControl.make, (script) => {
  const transcoder = Transcoder.of({
    probe: ({ input }) =>
      Effect.andThen(
        script.call("probe"),
        Effect.map(read("probe", input), ({ media }) => media)
      ),

    convert: ({ format, input, limits: own, media, mode = "auto", output }) =>
      FakeRun.run(
        script,
        Effect.gen(function* () {
          yield* script.call("convert")
          const limits = limitsOf(own)
          yield* refuseLong("convert", media, limits)
          const { cutAfter } = yield* read("convert", input)
          const seconds = cutAfter ?? media.duration ?? 0
          return { operation: "convert", output, planned: plan(media, mode, format), seconds, limits }
        })
      ),

    repackage: ({ format, limits, output, presentation, source }) =>
      FakeRun.run(
        script,
        Effect.gen(function* () {
          yield* script.call("repackage")
          const first = presentation.format === "hls" ? StreamFiles.segment("", 0) : StreamFiles.chunk(0, 1)
          yield* attempt("repackage", () => Fs.accessSync(`${source}/${first}`))
          const planned = { ...presentation, format }
          return {
            operation: "repackage",
            output,
            planned,
            seconds: presentation.duration ?? 0,
            limits: limitsOf(limits)
          }
        })
      ),

    poster: ({ input, media, output }) =>
      Effect.gen(function* () {
        yield* script.call("poster")
        yield* read("poster", input)
        if (media.video === null) return yield* failure("poster", "Unsupported")
        yield* write("poster", output, FakeOutput.jpeg)
      }),

    check: script.available("check"),
    capabilities: { name: "fake" }
  })
  return { transcoder, script: script.handle }
})

/** The fake and its handle. */
export const layer: Layer.Layer<Transcoder | TranscoderControl> = Layer.effectContext(
  Effect.map(make, ({ script, transcoder }) =>
    Context.make(Transcoder, transcoder).pipe(Context.add(TranscoderControl, script))
  )
)
