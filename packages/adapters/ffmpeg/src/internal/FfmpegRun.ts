/**
 * Runs ffmpeg to write a presentation, and reports the output as events.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Engine, Platform } from "./Engine.ts"
import { limitExceeded } from "./Engine.ts"
import * as DashOutput from "./output/DashOutput.ts"
import * as HlsOutput from "./output/HlsOutput.ts"
import type { PresentationOutput } from "./output/PresentationOutput.ts"
import type { Child } from "./process/Child.ts"
import * as ExitError from "./process/ExitError.ts"
import * as Progress from "./Progress.ts"
import * as Suspending from "./Suspending.ts"

export interface FfmpegRun {
  /** The method of the port, for errors. */
  readonly operation: string
  readonly limits: Limits.Limits
  readonly suspended: Suspending.Suspended
  readonly arguments: ReadonlyArray<string>
  /** Path of the output directory. */
  readonly output: string
  /** Paths that the program may read. The first one is its input. */
  readonly readable: ReadonlyArray<string>
  readonly expected: Presentation
  /** Names of directories for segments. Default: those of the expected presentation. */
  readonly folders?: ReadonlyArray<string>
  /** Opens the output. Default: that of the expected presentation. */
  readonly open?: typeof HlsOutput.make
  /** Whether a result that is much shorter than expected is a failure. */
  readonly failIfCutOff: boolean
  /** Writes the drafts of captions after the program has exited. */
  readonly writeCaptions?: Effect.Effect<void, TranscodeError.TranscodeError, Platform>
  /** Checks the finished presentation before it is reported. */
  readonly check?: (presentation: Presentation) => Effect.Effect<void, TranscodeError.TranscodeError, Platform>
  /** Paths that error messages must not contain. */
  readonly privatePaths: ReadonlyArray<string>
}

const internal = (operation: string) => (cause: unknown) =>
  new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })

/** Returns the error of an output, which may have found a fault of the presentation. */
const ofOutput =
  (operation: string) =>
  (error: PlatformError | TranscodeError.TranscodeError): TranscodeError.TranscodeError =>
    error instanceof TranscodeError.TranscodeError ? error : internal(operation)(error)

/** Returns the directories of the lower HLS renditions' segments. */
const foldersOf = (expected: Presentation): ReadonlyArray<string> =>
  expected.format === "dash" || expected.isShared === true
    ? []
    : [...StreamFiles.hlsRenditions(expected), ...StreamFiles.hlsAudio(expected)].map(({ prefix }) => prefix)

/** Makes the directories of segments, and lets the program write. */
const makeFolders = (engine: Engine, { expected, folders = foldersOf(expected), operation, output }: FfmpegRun) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* engine.handOver(output)
    for (const folder of folders.filter((name) => name !== "")) {
      yield* files.makeDirectory(`${output}/${folder}`, { recursive: true })
      yield* engine.handOver(`${output}/${folder}`)
    }
  }).pipe(Effect.mapError(internal(operation)))

/** How often the output is measured, also while the program reports no progress. */
const measureInterval = Duration.millis(250)

/** Fails if the output is too large. */
const checkBytes = ({ limits, operation }: FfmpegRun, output: PresentationOutput) =>
  Effect.flatMap(Effect.mapError(output.measureBytes, internal(operation)), (bytes) =>
    bytes > limits.outputBytes ? Effect.fail(limitExceeded(operation, "The result is too large.")) : Effect.void
  )

const stalled = (operation: string) =>
  new TranscodeError.TranscodeError({ operation, reason: "Unavailable", detail: "The converter does not respond." })

/**
 * Reads the program's progress until it exits, enforces the limits, and kills the program on failure. Returns the seconds of
 * output.
 */
const monitor = (
  { stallTimeout }: Engine,
  run: FfmpegRun,
  child: Child,
  output: PresentationOutput,
  onProgress: (seconds: number) => void
) => {
  let reports = 0
  /** Waits until nothing was reported for a whole interval in which the run was not suspended. */
  const awaitStall: Effect.Effect<void> = Effect.suspend(() => {
    const before = reports
    return Effect.flatMap(Suspending.awaitActive(run.suspended, stallTimeout), () =>
      reports === before ? Effect.void : awaitStall
    )
  })
  return Effect.gen(function* () {
    const { limits, operation, privatePaths } = run
    const maxSeconds = Duration.toSeconds(limits.duration)
    let reached = 0
    yield* child.stdout.pipe(
      Stream.splitLines,
      Stream.runForEach((line) => {
        reports++
        reached = Progress.seconds(line) ?? reached
        if (!Progress.endsBlock(line)) return Effect.void
        onProgress(reached)
        return reached > maxSeconds ? Effect.fail(limitExceeded(operation, "The media is too long.")) : Effect.void
      })
    )
    const exit = yield* child.exit
    if (exit.code !== 0) return yield* ExitError.fromExit(operation, exit, "Failed", privatePaths)
    yield* checkBytes(run, output)
    return reached
  }).pipe(
    Effect.raceFirst(Effect.forever(Effect.delay(checkBytes(run, output), measureInterval))),
    Effect.raceFirst(
      Effect.andThen(
        Suspending.awaitActive(run.suspended, run.limits.wallTime),
        Effect.fail(limitExceeded(run.operation, "The conversion took too long."))
      )
    ),
    Effect.raceFirst(Effect.andThen(awaitStall, Effect.fail(stalled(run.operation)))),
    Effect.onError(() => child.kill)
  )
}

/**
 * Whether the output is too short. Up to one second is tolerated, for a short video half a second: headers round the
 * duration, and the last frames of the audio may have no end.
 */
const isCutOff = (expected: number, reached: number): boolean => {
  const tolerance = Math.min(1, Math.max(0.5, expected / 4))
  return expected - reached > Math.max(tolerance, expected / 100)
}

/** Returns the last events after the program has exited. */
const finish = Effect.fnUntraced(function* (run: FfmpegRun, output: PresentationOutput, seconds: number) {
  const { expected, failIfCutOff, operation } = run
  const failed = (detail: string) => new TranscodeError.TranscodeError({ operation, reason: "Failed", detail })
  if (run.writeCaptions !== undefined) yield* run.writeCaptions
  const { events, presentation } = yield* Effect.mapError(output.finish, ofOutput(operation))
  // The program's progress is the decoding time of a frame, which is much lower than the output's end at a low frame rate.
  const reached = Math.max(seconds, presentation?.duration ?? 0)
  if (failIfCutOff && expected.duration !== null && isCutOff(expected.duration, reached)) {
    const [actual, declared] = [reached, expected.duration].map((value) => value.toFixed(1))
    return yield* failed(`The content is cut off: it ends after ${actual} of ${declared} seconds.`)
  }
  if (presentation === undefined) return yield* failed("The content has no playable part.")
  if (run.check !== undefined) yield* run.check(presentation)
  return [...events, Events.Finished({ presentation })]
})

const start = Effect.fnUntraced(function* (
  engine: Engine,
  run: FfmpegRun
): Effect.fn.Return<
  Stream.Stream<ConversionEvent, TranscodeError.TranscodeError, Platform>,
  TranscodeError.TranscodeError,
  Platform | Scope.Scope
> {
  const { expected, operation } = run
  yield* makeFolders(engine, run)
  const open = run.open ?? (expected.format === "hls" ? HlsOutput.make : DashOutput.make)
  const output = yield* open(run.output, expected)
  const child = yield* engine.spawn("ffmpeg", { ...run, directory: run.output })
  yield* Effect.forkScoped(Suspending.follow(run.suspended, child))
  // Holds only the latest progress: a slow consumer skips states, and the program never waits for it.
  const progress = yield* Queue.sliding<number, TranscodeError.TranscodeError | Cause.Done>(1)
  let total = 0
  yield* monitor(engine, run, child, output, (seconds) => Queue.offerUnsafe(progress, seconds)).pipe(
    Effect.tap((seconds) => Effect.sync(() => void (total = seconds))),
    Effect.matchCauseEffect({
      onFailure: (cause) => Queue.failCause(progress, cause),
      onSuccess: () => Queue.end(progress)
    }),
    Effect.forkScoped
  )
  let reported = 0
  const progressEvents = (seconds: number): ReadonlyArray<ConversionEvent> => {
    const fraction = Math.min(1, seconds / (expected.duration ?? Infinity))
    if (fraction <= reported) return []
    reported = fraction
    return [Events.Progressed({ fraction })]
  }
  const running = Stream.fromQueue(progress).pipe(
    Stream.mapEffect((seconds) =>
      Effect.map(Effect.mapError(output.takeEvents, ofOutput(operation)), (events) => [
        ...events,
        ...progressEvents(seconds)
      ])
    ),
    Stream.flattenIterable
  )
  const finishing = Stream.fromIterableEffect(Effect.suspend(() => finish(run, output, total)))
  return Stream.make(Events.Started({ presentation: expected })).pipe(Stream.concat(running), Stream.concat(finishing))
})

/** Returns the events of a run. The program, and the resources of `prepare`, live as long as the stream. */
export const stream = (
  engine: Engine,
  prepare: Effect.Effect<FfmpegRun, TranscodeError.TranscodeError, Platform | Scope.Scope>
): Stream.Stream<ConversionEvent, TranscodeError.TranscodeError, Platform> =>
  Stream.unwrap(Effect.flatMap(prepare, (run) => start(engine, run)))

/** Removes what a run has written, except for the poster, which another run writes. */
export const removeOutput = (operation: string, output: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    for (const name of yield* files.readDirectory(output)) {
      if (!name.startsWith(StreamFiles.poster)) yield* files.remove(`${output}/${name}`, { recursive: true })
    }
  }).pipe(Effect.mapError(internal(operation)))
