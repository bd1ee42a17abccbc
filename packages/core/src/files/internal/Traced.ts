/**
 * Spans on the hot path, that is, around code that runs for each request.
 */
import * as Effect from "effect/Effect"
import * as References from "effect/References"

/**
 * Runs an effect in a span where requests are traced. `Effect.fn` with a name captures a stack and provides two services for each call,
 * also where they are not, which takes some 10 µs.
 */
export const inSpan =
  (name: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (fiber.getRef(References.TracerEnabled) ? Effect.withSpan(self, name) : self))
