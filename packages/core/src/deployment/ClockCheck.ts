/**
 * Whether the clock of this machine agrees with that of the database.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** An error of the check; its message is for the log. */
export interface ClockFault {
  readonly code: "clock_skew"
  readonly message: string
}

/** Fails while the clocks differ by too much; undefined where nothing compares them. */
export const ClockCheck = Context.Reference<Effect.Effect<void, ClockFault> | undefined>(
  "@holdfast/core/deployment/ClockCheck",
  { defaultValue: () => undefined }
)
