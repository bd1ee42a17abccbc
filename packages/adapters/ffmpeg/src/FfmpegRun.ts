/**
 * Runs ffmpeg over a presentation in the making, and tells how far it is.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Engine, Platform } from "./Engine.ts"
import { exceeded } from "./Engine.ts"
import * as DashOutput from "./output/DashOutput.ts"
import * as HlsOutput from "./output/HlsOutput.ts"
import type { Package } from "./output/PresentationOutput.ts"
import type { Child } from "./process/Child.ts"
import * as ExitError from "./process/ExitError.ts"
import * as Progress from "./Progress.ts"

export interface Work {
  /** The port's method. */
  readonly operation: string
  readonly limits: Limits.Limits
  readonly arguments: ReadonlyArray<string>
  /** The output directory. */
  readonly output: string
  readonly planned: Presentation
  /** Whether a result that is much shorter than planned is a failure. */
  readonly strict: boolean
  /** Texts that messages must not show. */
  readonly names: ReadonlyArray<string>
}

const internal = (operation: string) => (cause: unknown) =>
  new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })

/** Follows the program to its end, and keeps it to its limits. Gives how many seconds came out. */
const follow = (work: Work, child: Child, output: Package, tell: (seconds: number) => void) =>
  Effect.gen(function* () {
    const { limits, names, operation } = work
    const most = Duration.toSeconds(limits.duration)
    let reached = 0
    yield* child.text.pipe(
      Stream.splitLines,
      Stream.runForEach((line) => {
        reached = Progress.seconds(line) ?? reached
        if (!Progress.endsBlock(line)) return Effect.void
        tell(reached)
        if (reached > most) return Effect.fail(exceeded(operation, "It plays too long."))
        return Effect.flatMap(Effect.mapError(output.measure, internal(operation)), (bytes) =>
          bytes > limits.outputBytes ? Effect.fail(exceeded(operation, "The result is too large.")) : Effect.void
        )
      })
    )
    const ending = yield* child.ended
    return ending.code === 0 ? reached : yield* ExitError.failure(operation, ending, "Failed", names)
  }).pipe(
    Effect.timeoutOrElse({
      duration: work.limits.wallTime,
      orElse: () => Effect.fail(exceeded(work.operation, "It took too long."))
    }),
    Effect.onError(() => child.kill)
  )

/** A second is lost easily, of a short video half of one: headers round, and the last frames of a sound may have no end. */
const isCutOff = (expected: number, reached: number): boolean => {
  const rounded = Math.min(1, Math.max(0.5, expected / 4))
  return expected - reached > Math.max(rounded, expected / 100)
}

const ending = (work: Work, output: Package, seconds: number) =>
  Effect.gen(function* () {
    const { operation, planned, strict } = work
    const failed = (detail: string) => new TranscodeError.TranscodeError({ operation, reason: "Failed", detail })
    const { events, presentation } = yield* Effect.mapError(output.finish, internal(operation))
    // What the program tells of its progress is the time at which a frame is decoded: of a slow picture much less.
    const reached = Math.max(seconds, presentation?.duration ?? 0)
    if (strict && planned.duration !== null && isCutOff(planned.duration, reached)) {
      const [found, declared] = [reached, planned.duration].map((value) => value.toFixed(1))
      return yield* failed(`The content is cut off: it ends after ${found} of ${declared} seconds.`)
    }
    if (presentation === undefined) return yield* failed("Nothing of the content can be played.")
    return [...events, Events.Finished({ presentation })]
  })

const start = (
  engine: Engine,
  work: Work
): Effect.Effect<
  Stream.Stream<ConversionEvent, TranscodeError.TranscodeError>,
  TranscodeError.TranscodeError,
  Platform | Scope.Scope
> =>
  Effect.gen(function* () {
    const { operation, planned } = work
    const output = yield* (planned.format === "hls" ? HlsOutput.make : DashOutput.make)(work.output, planned)
    const child = yield* engine.spawn("ffmpeg", { ...work, directory: work.output })
    // Whoever reads slowly finds the latest state, and the program never waits for him.
    const states = yield* Queue.sliding<number, TranscodeError.TranscodeError | Cause.Done>(1)
    let seconds = 0
    yield* follow(work, child, output, (reached) => Queue.offerUnsafe(states, reached)).pipe(
      Effect.tap((reached) => Effect.sync(() => void (seconds = reached))),
      Effect.matchCauseEffect({
        onFailure: (cause) => Queue.failCause(states, cause),
        onSuccess: () => Queue.end(states)
      }),
      Effect.forkScoped
    )
    let told = 0
    const progress = (reached: number): ReadonlyArray<ConversionEvent> => {
      const fraction = Math.min(1, reached / (planned.duration ?? Infinity))
      if (fraction <= told) return []
      told = fraction
      return [Events.Progressed({ fraction })]
    }
    const running = Stream.fromQueue(states).pipe(
      Stream.mapEffect((reached) =>
        Effect.map(Effect.mapError(output.take, internal(operation)), (events) => [...events, ...progress(reached)])
      ),
      Stream.flattenIterable
    )
    const finishing = Stream.fromIterableEffect(Effect.suspend(() => ending(work, output, seconds)))
    return Stream.make(Events.Started({ presentation: planned })).pipe(Stream.concat(running), Stream.concat(finishing))
  })

/** The events of the work; the program and what it needs live as long as the stream. */
export const run = (
  engine: Engine,
  prepare: Effect.Effect<Work, TranscodeError.TranscodeError, Platform | Scope.Scope>
): Stream.Stream<ConversionEvent, TranscodeError.TranscodeError, Platform> =>
  Stream.unwrap(Effect.flatMap(prepare, (work) => start(engine, work)))
