/**
 * Queues failed deliveries again where a recovery was requested, in short batches. Every node may run it: nodes skip the webhook that
 * another one works on.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerJob } from "../BackgroundWork.ts"
import { WebhookRepository } from "./WebhookRepository.ts"

/** How often the job looks for recoveries. */
const interval = Duration.seconds(2)

/** The deliveries of one batch: some 10 ms on SQLite, where other writers wait meanwhile. */
const limit = 200

/** Completes all recoveries that were requested. Webhooks take turns. */
export const recoverAll = Effect.gen(function* () {
  const repository = yield* WebhookRepository
  let worked: string | null
  do {
    worked = null
    let after: string | null = ""
    while (after !== null) {
      const start = yield* Clock.currentTimeMillis
      after = yield* repository.recover({ after, limit })
      worked = after ?? worked
      // Half of the time is left to the requests.
      if (after !== null) yield* Effect.sleep(Duration.millis((yield* Clock.currentTimeMillis) - start))
    }
  } while (worked !== null)
})

/** Recovers deliveries while the layer is open. */
export const layer: Layer.Layer<never, never, WebhookRepository> = layerJob(recoverAll, interval, {
  worker: "recovery of webhook deliveries",
  failure: "webhook deliveries not recovered; will retry"
})
