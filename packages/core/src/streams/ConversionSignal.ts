/**
 * Tells the worker of this process that a conversion was asked for here, so that it need not wait for its next look.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

export class ConversionSignal extends Context.Service<
  ConversionSignal,
  {
    /** Wakes everyone who awaits. */
    readonly notify: Effect.Effect<void>
    /** Waits for the next `notify`. */
    readonly await: Effect.Effect<void>
  }
>()("@holdfast/core/streams/ConversionSignal") {}

export const layer: Layer.Layer<ConversionSignal> = Layer.sync(ConversionSignal, () => {
  const latch = Latch.makeUnsafe(false)
  return ConversionSignal.of({ notify: Effect.asVoid(latch.release), await: latch.await })
})
