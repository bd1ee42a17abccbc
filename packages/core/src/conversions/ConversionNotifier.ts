/**
 * Wakes fibers of this process that wait for a conversion to be requested or to make progress, so that they need not wait
 * for their next poll. Other processes are not notified; therefore every waiter also polls.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

export class ConversionNotifier extends Context.Service<
  ConversionNotifier,
  {
    /** Wakes all fibers in `awaitRequest`: a conversion was requested. */
    readonly notifyRequest: Effect.Effect<void>
    /** Waits for the next `notifyRequest`. */
    readonly awaitRequest: Effect.Effect<void>
    /** Wakes all fibers in `awaitProgress`: a conversion published something, or ended. */
    readonly notifyProgress: Effect.Effect<void>
    /** Waits for the next `notifyProgress`. */
    readonly awaitProgress: Effect.Effect<void>
  }
>()("@holdfast/core/conversions/ConversionNotifier") {}

export const layer: Layer.Layer<ConversionNotifier> = Layer.sync(ConversionNotifier, () => {
  const request = Latch.makeUnsafe(false)
  const progress = Latch.makeUnsafe(false)
  return ConversionNotifier.of({
    notifyRequest: Effect.asVoid(request.release),
    awaitRequest: request.await,
    notifyProgress: Effect.asVoid(progress.release),
    awaitProgress: progress.await
  })
})
