/**
 * The API group `webhooks`.
 */
import { Deliveries } from "@holdfast/core/webhooks/Deliveries"
import { Webhooks } from "@holdfast/core/webhooks/Webhooks"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    const deliveries = yield* Deliveries
    return handlers.handleAll({
      create: ({ params: { tenantId }, payload }) =>
        Effect.flatMap(
          asActor((actor) => webhooks.create(actor, tenantId, payload)),
          (webhook) => CreatedResponse.withLocation(webhook, "tenants", tenantId, "webhooks", webhook.id)
        ),
      list: ({ params, query }) => asActor((actor) => webhooks.list(actor, params.tenantId, query)),
      get: ({ params }) => asActor((actor) => webhooks.get(actor, params)),
      update: ({ params, payload }) => asActor((actor) => webhooks.update(actor, params, payload)),
      remove: ({ params }) => asActor((actor) => webhooks.remove(actor, params)),
      rotate: ({ params }) => asActor((actor) => webhooks.rotate(actor, params)),
      test: ({ params }) => asActor((actor) => webhooks.test(actor, params)),
      recover: ({ params, payload }) => asActor((actor) => webhooks.recover(actor, params, payload)),
      deliveries: ({ params, query }) => asActor((actor) => deliveries.list(actor, params, query)),
      delivery: ({ params }) => asActor((actor) => deliveries.get(actor, params)),
      replay: ({ params }) => asActor((actor) => deliveries.replay(actor, params))
    })
  })
)
