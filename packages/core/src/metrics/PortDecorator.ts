/**
 * Replaces a service by a decorated version of itself.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The layer that replaces `port`. `decorate` returns the service with some of its members replaced. */
export const layer = <I, S>(port: Context.Key<I, S>, decorate: (service: S) => S): Layer.Layer<I, never, I> =>
  Layer.effect(port, Effect.map(port, decorate))
