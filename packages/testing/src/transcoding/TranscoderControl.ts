/**
 * Controls a `FakeTranscoder` from a test while it runs.
 */
import type * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export type Method = "probe" | "convert" | "repackage" | "ladder" | "poster" | "storyboard"

/** A point at which runs pause. */
export interface Pause {
  /** Waits until a run has reached the point. */
  readonly reached: Effect.Effect<void>
  /** Lets all runs pass, those that are paused and later ones. */
  readonly resume: Effect.Effect<void>
}

export class TranscoderControl extends Context.Service<
  TranscoderControl,
  {
    /**
     * Makes `convert` and `repackage` pause before the first segment that goes beyond this fraction of the whole: 0 before
     * the first segment, 0.5 in the middle, 1 after the last segment and before `Finished`.
     */
    readonly pauseAt: (fraction: number) => Effect.Effect<Pause>
    /** Makes `convert` and `repackage` fail at such a point. */
    readonly failAt: (fraction: number, reason: TranscodeError.Reason, detail?: string) => Effect.Effect<void>
    /** Makes a method fail at once. */
    readonly fail: (method: Method, reason: TranscodeError.Reason, detail?: string) => Effect.Effect<void>
    /** Sets whether the programs are available. Without them every method fails with `Unavailable`. */
    readonly setAvailable: (available: boolean) => Effect.Effect<void>
    /** Removes all instructions and resumes paused runs. */
    readonly clear: Effect.Effect<void>
    /** Returns how often a method was called. */
    readonly calls: (method: Method) => Effect.Effect<number>
    /** Returns the number of runs that have not ended. */
    readonly running: Effect.Effect<number>
  }
>()("@holdfast/testing/transcoding/TranscoderControl") {}
