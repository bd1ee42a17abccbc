/**
 * Runs of the fake transcoder: writes the files of a presentation and reports them as events.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import * as Events from "@holdfast/core/transcoding/ConversionEvent"
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as FakeOutput from "../FakeOutput.ts"
import type * as FakeControl from "./FakeControl.ts"

export interface FakeRun {
  readonly operation: "convert" | "repackage" | "ladder"
  readonly output: string
  readonly expected: Presentation
  /** Seconds of content that exist. */
  readonly seconds: number
  /** Seconds: how long the segments last. Default: four each. */
  readonly durations?: ReadonlyArray<number>
  readonly limits: Limits.Limits
  readonly suspended: SubscriptionRef.SubscriptionRef<boolean> | undefined
}

/** Makes an error. */
export const failure = (operation: string, reason: TranscodeError.Reason, detail?: string, cause?: unknown) =>
  new TranscodeError.TranscodeError({ operation, reason, detail, cause })

/** Calls the file system. A failure is `Internal`. */
export const attempt = <A>(operation: string, evaluate: () => A): Effect.Effect<A, TranscodeError.TranscodeError> =>
  Effect.try({ try: evaluate, catch: (cause) => failure(operation, "Internal", undefined, cause) })

/** Writes a file atomically. */
export const write = (operation: string, path: string, content: Uint8Array) =>
  attempt(operation, () => {
    Fs.mkdirSync(Path.dirname(path), { recursive: true })
    Fs.writeFileSync(`${path}.tmp`, content)
    Fs.renameSync(`${path}.tmp`, path)
  })

/** Waits while the run is suspended. */
const awaitActive = ({ suspended }: FakeRun) =>
  suspended === undefined
    ? Effect.void
    : Effect.asVoid(Stream.runHead(Stream.filter(SubscriptionRef.changes(suspended), (isSuspended) => !isSuspended)))

const stepOf = ({ expected, operation }: FakeRun) => {
  if (operation === "ladder") return FakeOutput.ladderStep
  return expected.format === "hls" ? FakeOutput.hlsStep : FakeOutput.dashStep
}

/** Writes all files in steps and reports them. */
const perform = (run: FakeRun, control: FakeControl.FakeControl, report: (event: ConversionEvent) => void) =>
  Effect.gen(function* () {
    const { expected, limits, operation, output, seconds } = run
    report(Events.Started({ presentation: expected }))
    const all = run.durations ?? FakeOutput.durations(seconds)
    const step = stepOf(run)
    let bytes = 0
    for (const index of all.keys()) {
      yield* awaitActive(run)
      yield* control.pass(operation, index / all.length, (index + 1) / all.length)
      const { playlists, segments } = step(expected, all, index)
      for (const { content, name } of segments) {
        bytes += content.length
        if (bytes > limits.outputBytes) return yield* failure(operation, "LimitExceeded", "The result is too large.")
        yield* write(operation, `${output}/${name}`, content)
        report(Events.SegmentFinished({ name }))
      }
      for (const { content, name } of playlists) {
        yield* write(operation, `${output}/${name}`, content)
        report(Events.PlaylistUpdated({ name, text: content.toString() }))
      }
      if (expected.duration !== null) report(Events.Progressed({ fraction: (index + 1) / all.length }))
    }
    yield* control.pass(operation, 1, Infinity)
    if (expected.duration !== null && seconds < expected.duration - 1) {
      return yield* failure(
        operation,
        "Failed",
        `The content is cut off after ${seconds} of ${expected.duration} seconds.`
      )
    }
    report(Events.Finished({ presentation: { ...expected, duration: all.reduce((sum, each) => sum + each, 0) } }))
  })

/** Returns the events of a run. Like a process, the run does not wait for the consumer. */
export const stream = (
  control: FakeControl.FakeControl,
  prepare: Effect.Effect<FakeRun, TranscodeError.TranscodeError>
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const run = yield* prepare
      const events = yield* Queue.unbounded<ConversionEvent, TranscodeError.TranscodeError | Cause.Done>()
      yield* perform(run, control, (event) => Queue.offerUnsafe(events, event)).pipe(
        control.counted,
        Effect.matchCauseEffect({
          onFailure: (cause) => Queue.failCause(events, cause),
          onSuccess: () => Queue.end(events)
        }),
        Effect.forkScoped
      )
      return Stream.fromQueue(events)
    })
  )
