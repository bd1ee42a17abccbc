/**
 * Whether the clock of this machine agrees with that of the database.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The clocks of the machine and of the database differ by more than the setting allows. */
export class ClockSkewError extends Data.TaggedError("ClockSkewError")<{
  /** Milliseconds by which the machine's clock is ahead; negative when it is behind. */
  readonly skew: number
  readonly limit: Duration.Duration
}> {
  readonly code = "clock_skew"

  override get message(): string {
    const seconds = (Math.abs(this.skew) / 1000).toFixed(1)
    const side = this.skew > 0 ? "ahead of" : "behind"
    const limit = Duration.toMillis(this.limit) / 1000
    return `The clock of this machine is ${seconds} s ${side} the database's; at most ${limit} s are allowed. Synchronize both clocks with NTP, or raise HOLDFAST_MAX_CLOCK_SKEW.`
  }
}

/** Fails with `ClockSkewError` while the clocks differ by too much. Without a limit it never fails. */
export const ClockCheck = Context.Reference<Effect.Effect<void, ClockSkewError>>(
  "@holdfast/http/server/routes/ClockCheck",
  { defaultValue: () => Effect.void }
)
