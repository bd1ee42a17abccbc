/**
 * What the services and the workers of one process tell each other, so that nobody need wait for the next look. Other
 * processes do not hear it: whoever waits looks now and then, too.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

export class ConversionNotifier extends Context.Service<
  ConversionNotifier,
  {
    /** A conversion was asked for: wakes everyone who awaits. */
    readonly notify: Effect.Effect<void>
    /** Waits for the next `notify`. */
    readonly await: Effect.Effect<void>
    /** A conversion has come further, or to its end: wakes everyone who awaits that. */
    readonly advance: Effect.Effect<void>
    /** Waits for the next `advance`. */
    readonly awaitAdvance: Effect.Effect<void>
  }
>()("@holdfast/core/conversions/ConversionNotifier") {}

export const layer: Layer.Layer<ConversionNotifier> = Layer.sync(ConversionNotifier, () => {
  const asked = Latch.makeUnsafe(false)
  const advanced = Latch.makeUnsafe(false)
  return ConversionNotifier.of({
    notify: Effect.asVoid(asked.release),
    await: asked.await,
    advance: Effect.asVoid(advanced.release),
    awaitAdvance: advanced.await
  })
})
