/**
 * How far the clock of this machine may be from that of the database. Leases and expiries are in the database's time, so that a
 * skew harms none of them; but it shows that a clock is not synchronized, and signatures of object stores, certificates and logs
 * depend on the machine's clock.
 */
import { ClockCheck } from "@holdfast/core/deployment/ClockCheck"
import { StoreTime } from "@holdfast/core/StoreTime"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"
import * as ObservableMetrics from "../../operator/ObservableMetrics.ts"
import * as MetadataLayer from "./MetadataLayer.ts"

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

/** Provides the check, and the skew as a metric. Fails when the clocks differ by too much. */
export const layer = (config: Pick<Config, "databaseUrl" | "maxClockSkew">): Layer.Layer<never, ClockSkewError> =>
  Layer.effect(
    ClockCheck,
    Effect.gen(function* () {
      const { skew } = (yield* StoreTime) ?? { skew: () => 0 }
      yield* ObservableMetrics.registerAll([
        {
          name: "holdfast_clock_skew_seconds",
          description: "Seconds by which the machine's clock is ahead of the time that the service works with.",
          kind: "gauge",
          read: () => skew() / 1000
        }
      ])
      // Only this service uses an embedded database. Its time follows the machine's clock.
      if (MetadataLayer.isEmbedded(config)) return Effect.void
      const limit = config.maxClockSkew
      const check = Effect.suspend(() =>
        Math.abs(skew()) > Duration.toMillis(limit)
          ? Effect.fail(new ClockSkewError({ skew: skew(), limit }))
          : Effect.void
      )
      yield* check
      return check
    })
  )
