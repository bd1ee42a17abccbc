/**
 * Shares the rates of requests between the processes of a service: each one reports what it has counted, ten times per second. So a
 * client with connections to several processes has its rate once, and what it sends in a tenth of a second beyond.
 */
import * as Rates from "@holdfast/core/rates/Rates"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentChannel } from "../workers/WorkerChannel.ts"

const interval = "100 millis"

export const layer: Layer.Layer<never, never, Rates.Rates> = Layer.effectDiscard(
  Effect.gen(function* () {
    const channel = yield* CurrentChannel
    if (channel === undefined) return
    const rates = yield* Rates.Rates
    channel.onCounted(rates.addCounts)
    const report = Effect.suspend(() => {
      const counts = rates.takeCounts()
      return counts.length === 0 ? Effect.void : channel.send({ type: "counted", counts })
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(interval), report)))
  })
)
