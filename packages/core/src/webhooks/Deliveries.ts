/**
 * The service of the deliveries of webhooks: lists them with the result of their last attempt, and sends one again. A delivery
 * shows the status of the endpoint's response and nothing else of it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, type InvalidRequest, NotFound } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import { type Delivery, DeliveryState } from "./Delivery.ts"
import { type DeliveryRef, DeliveryRepository } from "./DeliveryRepository.ts"
import type { WebhookRef } from "./StoredWebhook.ts"
import { WebhookRepository } from "./WebhookRepository.ts"

export interface DeliveriesRequest extends Page.Request {
  /** Lists only deliveries in this state. */
  readonly state?: DeliveryState | undefined
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Lists the deliveries of a webhook, the newest event first. Requires `webhook:read`. */
    readonly list: (
      actor: Actor,
      webhook: WebhookRef,
      request: DeliveriesRequest
    ) => Effect.Effect<Page.Page<Delivery>, AccessError | InvalidRequest | InvalidCursor | NotFound>

    readonly get: (actor: Actor, delivery: DeliveryRef) => Effect.Effect<Delivery, AccessError | NotFound>

    /**
     * Sends the event of a delivery again, whatever the state of the delivery is, with the same id. Requires `webhook:write`. That
     * of a DISABLED webhook waits until the webhook is ACTIVE.
     */
    readonly replay: (actor: Actor, delivery: DeliveryRef) => Effect.Effect<Delivery, AccessError | NotFound>
  }
>()("@holdfast/core/webhooks/Deliveries") {}

const noWebhook = new NotFound({ resource: "webhook" })
const noDelivery = new NotFound({ resource: "delivery" })

const decodeFilter = Input.decoder(Schema.Struct({ state: Schema.optional(DeliveryState) }))

const make = Effect.gen(function* () {
  const access = yield* Access
  const webhooks = yield* WebhookRepository
  const repository = yield* DeliveryRepository

  const checkId = ({ deliveryId, webhookId }: DeliveryRef) =>
    Ids.is("whk", webhookId) && Ids.is("evt", deliveryId) ? Effect.void : Effect.fail(noDelivery)

  return Deliveries.of({
    list: Effect.fn("Deliveries.list")(function* (actor, webhook, request) {
      yield* access.require(actor, webhook.tenantId, "webhook:read")
      if (!Ids.is("whk", webhook.webhookId)) return yield* noWebhook
      const { state } = yield* decodeFilter({ state: request.state })
      yield* NotFound.whenNone(webhooks.find(webhook), noWebhook)
      return yield* Page.listById(request, (slice) => repository.list({ webhook, state, ...slice }))
    }),

    get: Effect.fn("Deliveries.get")(function* (actor, delivery) {
      yield* access.require(actor, delivery.tenantId, "webhook:read")
      yield* checkId(delivery)
      return yield* NotFound.whenNone(repository.find(delivery), noDelivery)
    }),

    replay: Effect.fn("Deliveries.replay")(function* (actor, delivery) {
      const identity = yield* access.require(actor, delivery.tenantId, "webhook:write")
      yield* checkId(delivery)
      return yield* NotFound.whenNone(by(identity)(repository.replay(delivery)), noDelivery)
    })
  })
})

export const layer: Layer.Layer<Deliveries, never, Access | DeliveryRepository | WebhookRepository> = Layer.effect(
  Deliveries,
  make
)
