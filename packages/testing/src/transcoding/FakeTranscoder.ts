/**
 * A Transcoder that needs no program. Its inputs are `FakeMedia`, its results are small and always the same, and a test
 * controls its progress (`TranscoderControl`).
 */
import * as ConversionPlan from "@holdfast/core/transcoding/ConversionPlan"
import * as Limits from "@holdfast/core/transcoding/Limits"
import type { Media } from "@holdfast/core/transcoding/Media"
import * as Storyboard from "@holdfast/core/transcoding/Storyboard"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs"
import * as FakeControl from "./internal/FakeControl.ts"
import * as FakeMedia from "./FakeMedia.ts"
import * as FakeOutput from "./FakeOutput.ts"
import * as FakeRun from "./internal/FakeRun.ts"
import { TranscoderControl } from "./TranscoderControl.ts"

export interface FakeTranscoder {
  readonly transcoder: Transcoder["Service"]
  readonly control: TranscoderControl["Service"]
}

const { attempt, failure, write } = FakeRun

const read = (operation: string, input: string) =>
  Effect.flatMap(
    attempt(operation, () => Fs.readFileSync(input)),
    (content) => Effect.mapError(Effect.fromOption(FakeMedia.parse(content)), () => failure(operation, "NotMedia"))
  )

const limitsOf = (own: Partial<Limits.Limits> | undefined): Limits.Limits => ({ ...Limits.defaults, ...own })

const checkDuration = (operation: string, { duration }: Media, limits: Limits.Limits) =>
  (duration ?? 0) > Duration.toSeconds(limits.duration)
    ? Effect.fail(failure(operation, "LimitExceeded", "The media is too long."))
    : Effect.void

/** Makes a fake transcoder and its control. */
export const make: Effect.Effect<FakeTranscoder> = Effect.map(FakeControl.make, (control) => {
  const transcoder = Transcoder.of({
    probe: ({ input }) =>
      Effect.andThen(
        control.call("probe"),
        Effect.map(read("probe", input), ({ media }) => media)
      ),

    convert: ({ format, input, limits: own, lines, media, mode = "auto", output, suspended }) =>
      FakeRun.stream(
        control,
        Effect.gen(function* () {
          yield* control.call("convert")
          const limits = limitsOf(own)
          yield* checkDuration("convert", media, limits)
          const { cutAfter } = yield* read("convert", input)
          const seconds = cutAfter ?? media.duration ?? 0
          const expected = ConversionPlan.toPresentation(ConversionPlan.make(media, mode, lines), media, format)
          return { operation: "convert", output, expected, seconds, limits, suspended }
        })
      ),

    repackage: ({ format, limits, output, presentation, source, suspended }) =>
      FakeRun.stream(
        control,
        Effect.gen(function* () {
          yield* control.call("repackage")
          const first = presentation.format === "hls" ? StreamFiles.segment("", 0) : StreamFiles.chunk(0, 1)
          yield* attempt("repackage", () => Fs.accessSync(`${source}/${first}`))
          return {
            operation: "repackage",
            output,
            expected: { ...presentation, format },
            seconds: presentation.duration ?? 0,
            limits: limitsOf(limits),
            suspended
          }
        })
      ),

    ladder: ({ durations, format, input, limits, media, output, rungs, suspended }) =>
      FakeRun.stream(
        control,
        Effect.gen(function* () {
          yield* control.call("ladder")
          yield* read("ladder", input)
          const expected = ConversionPlan.toPresentation(ConversionPlan.ladder(media, rungs, format), media, format)
          const seconds = durations.reduce((sum, each) => sum + each, 0)
          if (seconds > (media.duration ?? 0) + 1) return yield* failure("ladder", "Failed")
          return { operation: "ladder", output, expected, seconds, durations, limits: limitsOf(limits), suspended }
        })
      ),

    poster: ({ input, media, output }) =>
      Effect.gen(function* () {
        yield* control.call("poster")
        yield* read("poster", input)
        if (media.video === null) return yield* failure("poster", "Unsupported")
        yield* write("poster", output, FakeOutput.jpeg)
      }),

    storyboard: ({ input, media, output, storyboard }) =>
      Effect.gen(function* () {
        yield* control.call("storyboard")
        yield* read("storyboard", input)
        if (media.video === null) return yield* failure("storyboard", "Unsupported")
        for (const name of Storyboard.sheetNames(storyboard)) {
          yield* write("storyboard", `${output}/${name}`, FakeOutput.jpeg)
        }
      }),

    check: control.available("check"),
    capabilities: { name: "fake" }
  })
  return { transcoder, control: control.handle }
})

/** The fake transcoder and its control. */
export const layer: Layer.Layer<Transcoder | TranscoderControl> = Layer.effectContext(
  Effect.map(make, ({ control, transcoder }) =>
    Context.make(Transcoder, transcoder).pipe(Context.add(TranscoderControl, control))
  )
)
