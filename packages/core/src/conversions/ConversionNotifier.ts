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
    /** Says that a conversion was requested. */
    readonly notifyRequest: Effect.Effect<void>
    /** Returns a wait for the next `notifyRequest`: take it before you look for a request, so that none is missed in between. */
    readonly nextRequest: Effect.Effect<Effect.Effect<void>>
    /** Says that a conversion published something, or ended. */
    readonly notifyProgress: Effect.Effect<void>
    /** Returns a wait for the next `notifyProgress`, as `nextRequest` does. */
    readonly nextProgress: Effect.Effect<Effect.Effect<void>>
  }
>()("@holdfast/core/conversions/ConversionNotifier") {}

const makeSignal = () => {
  let latch = Latch.makeUnsafe(false)
  const notify = Effect.sync(() => {
    const ended = latch
    latch = Latch.makeUnsafe(false)
    ended.openUnsafe()
  })
  return { notify, next: Effect.sync(() => latch.await) }
}

export const layer: Layer.Layer<ConversionNotifier> = Layer.sync(ConversionNotifier, () => {
  const request = makeSignal()
  const progress = makeSignal()
  return ConversionNotifier.of({
    notifyRequest: request.notify,
    nextRequest: request.next,
    notifyProgress: progress.notify,
    nextProgress: progress.next
  })
})
