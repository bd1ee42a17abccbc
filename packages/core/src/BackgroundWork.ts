/**
 * Whether an effect is background work: a worker's, for whose end no request waits. An adapter may run its statements where
 * they delay requests less and take longer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export const IsBackgroundWork = Context.Reference<boolean>("@holdfast/core/BackgroundWork", {
  defaultValue: () => false
})

/** Runs an effect, and the fibers that it forks, as background work. */
export const asBackgroundWork = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, IsBackgroundWork, true)
