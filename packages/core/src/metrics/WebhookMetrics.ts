/**
 * Counters of the attempts at deliveries of webhooks that this node makes.
 */
import { DeliveryRepository } from "../webhooks/DeliveryRepository.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Counter from "./Counter.ts"
import * as PortDecorator from "./PortDecorator.ts"

const delivered = Counter.make(
  "holdfast_webhooks_delivered_total",
  "Events that endpoints of webhooks accepted from this node."
)
const failed = Counter.make("holdfast_webhooks_failed_total", "Attempts of this node that endpoints did not accept.")

/** The repository, with counters for what the worker of this process does. */
export const layerDeliveries: Layer.Layer<DeliveryRepository, never, DeliveryRepository> = PortDecorator.layer(
  DeliveryRepository,
  (deliveries) => ({
    ...deliveries,
    complete: (results) =>
      Effect.tap(deliveries.complete(results), () => {
        const attempts = results.flatMap((result) => result.attempts)
        const failures = attempts.filter(({ attempt }) => attempt.error !== null).length
        return Effect.andThen(Metric.update(delivered, attempts.length - failures), Metric.update(failed, failures))
      })
  })
)
