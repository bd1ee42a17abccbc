/**
 * A presentation in the making: what of it is ready to be told.
 */
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import type * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"

export interface Package {
  /** Bytes of everything that was written so far. */
  readonly measure: Effect.Effect<number, PlatformError>
  /** What is new since the last time. */
  readonly take: Effect.Effect<ReadonlyArray<ConversionEvent>, PlatformError>
  /** The rest, once the program has ended, and what came out of it; undefined when nothing did. */
  readonly finish: Effect.Effect<
    { readonly events: ReadonlyArray<ConversionEvent>; readonly presentation: Presentation | undefined },
    PlatformError
  >
}
