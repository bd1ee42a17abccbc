/**
 * The time of a metadata store. All nodes of a deployment compare leases, grace periods and expiries with it, whatever the clocks
 * of their machines show.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface StoreTime {
  readonly clock: Clock.Clock
  /** Returns by how many milliseconds the machine's clock is ahead of the store's time; negative when it is behind. */
  readonly skew: () => number
}

/** A metadata adapter provides it. Undefined for a store that has the time of its caller, such as one in memory. */
export const StoreTime = Context.Reference<StoreTime | undefined>("@holdfast/core/StoreTime", {
  defaultValue: () => undefined
})

/** Provides the time of the store as `Clock`, if the store has one. */
export const layerClock: Layer.Layer<never> = Layer.effectContext(
  Effect.map(StoreTime, (time) => (time === undefined ? Context.empty() : Context.make(Clock.Clock, time.clock)))
)
