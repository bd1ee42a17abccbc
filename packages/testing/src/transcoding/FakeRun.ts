/**
 * Conversions of the fake transcoder.
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
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as FakeOutput from "./FakeOutput.ts"
import type * as FakeControl from "./FakeControl.ts"

export interface Work {
  readonly operation: "convert" | "repackage"
  readonly output: string
  readonly planned: Presentation
  /** How much of the content there is, in seconds. */
  readonly seconds: number
  readonly limits: Limits.Limits
}

export const failure = (operation: string, reason: TranscodeError.Reason, detail?: string, cause?: unknown) =>
  new TranscodeError.TranscodeError({ operation, reason, detail, cause })

/** A call of the file system, whose failure is the caller's fault. */
export const attempt = <A>(operation: string, evaluate: () => A): Effect.Effect<A, TranscodeError.TranscodeError> =>
  Effect.try({ try: evaluate, catch: (cause) => failure(operation, "Internal", undefined, cause) })

/** A file appears as a whole. */
export const write = (operation: string, path: string, content: Uint8Array) =>
  attempt(operation, () => {
    Fs.mkdirSync(Path.dirname(path), { recursive: true })
    Fs.writeFileSync(`${path}.tmp`, content)
    Fs.renameSync(`${path}.tmp`, path)
  })

/** Writes everything, step by step, and tells it. */
const perform = (work: Work, script: FakeControl.FakeControl, tell: (event: ConversionEvent) => void) =>
  Effect.gen(function* () {
    const { limits, operation, output, planned, seconds } = work
    tell(Events.Started({ presentation: planned }))
    const all = FakeOutput.durations(seconds)
    const step = planned.format === "hls" ? FakeOutput.hlsStep : FakeOutput.dashStep
    let bytes = 0
    for (const index of all.keys()) {
      yield* script.pass(operation, index / all.length, (index + 1) / all.length)
      const { playlists, segments } = step(planned, all, index)
      for (const { content, name } of segments) {
        bytes += content.length
        if (bytes > limits.outputBytes) return yield* failure(operation, "LimitExceeded", "The result is too large.")
        yield* write(operation, `${output}/${name}`, content)
        tell(Events.SegmentFinished({ name }))
      }
      for (const { content, name } of playlists) {
        yield* write(operation, `${output}/${name}`, content)
        tell(Events.PlaylistUpdated({ name, text: content.toString() }))
      }
      if (planned.duration !== null) tell(Events.Progressed({ fraction: (index + 1) / all.length }))
    }
    yield* script.pass(operation, 1, Infinity)
    if (planned.duration !== null && seconds < planned.duration - 1) {
      return yield* failure(
        operation,
        "Failed",
        `The content is cut off after ${seconds} of ${planned.duration} seconds.`
      )
    }
    tell(Events.Finished({ presentation: { ...planned, duration: all.reduce((sum, each) => sum + each, 0) } }))
  })

/** The work goes on by itself, as that of a process does. */
export const run = (script: FakeControl.FakeControl, prepare: Effect.Effect<Work, TranscodeError.TranscodeError>) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const work = yield* prepare
      const events = yield* Queue.unbounded<ConversionEvent, TranscodeError.TranscodeError | Cause.Done>()
      yield* perform(work, script, (event) => Queue.offerUnsafe(events, event)).pipe(
        script.counted,
        Effect.matchCauseEffect({
          onFailure: (cause) => Queue.failCause(events, cause),
          onSuccess: () => Queue.end(events)
        }),
        Effect.forkScoped
      )
      return Stream.fromQueue(events)
    })
  )
