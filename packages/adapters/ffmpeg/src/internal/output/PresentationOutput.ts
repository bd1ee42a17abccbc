/**
 * The output of a run that writes a presentation, as the events to report.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import type { TranscodeError } from "@holdfast/core/transcoding/TranscodeError"
import type * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"

export interface PresentationOutput {
  /** Returns the bytes of all files so far. */
  readonly measureBytes: Effect.Effect<number, PlatformError>
  /** Returns the events since the last call. */
  readonly takeEvents: Effect.Effect<ReadonlyArray<ConversionEvent>, PlatformError | TranscodeError>
  /** Returns the remaining events after the program has exited, and the presentation; undefined if nothing is playable. */
  readonly finish: Effect.Effect<
    { readonly events: ReadonlyArray<ConversionEvent>; readonly presentation: Presentation | undefined },
    PlatformError | TranscodeError
  >
}
