/**
 * The handle by which a test steers a `FakeTranscoder` while it runs.
 */
import type * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export type Method = "probe" | "convert" | "repackage" | "poster"

/** A place at which conversions stop. */
export interface Pause {
  /** Waits until a conversion has come to it. */
  readonly reached: Effect.Effect<void>
  /** Lets all conversions pass, those that stand there and later ones. */
  readonly resume: Effect.Effect<void>
}

export class TranscoderControl extends Context.Service<
  TranscoderControl,
  {
    /**
     * From now on `convert` and `repackage` stop before the first segment that goes beyond this much of the whole: 0 before the
     * first segment, 0.5 in the middle, 1 when all is done but told.
     */
    readonly pauseAt: (fraction: number) => Effect.Effect<Pause>
    /** From now on they fail there. */
    readonly failAt: (fraction: number, reason: TranscodeError.Reason, detail?: string) => Effect.Effect<void>
    /** From now on a method fails at once. */
    readonly fail: (method: Method, reason: TranscodeError.Reason, detail?: string) => Effect.Effect<void>
    /** Whether the programs are there; without them every method fails with `Unavailable`. */
    readonly setAvailable: (available: boolean) => Effect.Effect<void>
    /** Releases and forgets everything that was asked for. */
    readonly clear: Effect.Effect<void>
    /** How often a method was called. */
    readonly calls: (method: Method) => Effect.Effect<number>
    /** How many conversions are under way. */
    readonly running: Effect.Effect<number>
  }
>()("@holdfast/testing/transcoding/TranscoderControl") {}
