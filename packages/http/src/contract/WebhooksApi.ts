/**
 * The webhooks of a tenant.
 */
import * as UnknownFields from "@holdfast/core/inputs/UnknownFields"
import * as Page from "@holdfast/core/Page"
import * as Delivery from "@holdfast/core/webhooks/Delivery"
import * as Webhook from "@holdfast/core/webhooks/Webhook"
import * as WebhookInput from "@holdfast/core/webhooks/WebhookInput"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { created, describe, page, problems } from "./Operation.ts"

const tenant = { tenantId: Schema.String }
const params = { ...tenant, webhookId: Schema.String }
const deliveryParams = { ...params, deliveryId: Schema.String }
const reading = "webhook:read"
const writing = "webhook:write"

const create = HttpApiEndpoint.post("create", "/", {
  params: tenant,
  disableCodecs: true,
  payload: UnknownFields.refuse(WebhookInput.CreateWebhook),
  success: created(Webhook.WebhookWithSecret),
  error: problems("invalid_request", "quota_exceeded", "webhooks_unavailable")
}).annotateMerge(
  describe({
    summary: "Create a webhook",
    description:
      "Sends the events from now on to the URL, signed as by Standard Webhooks. Only this response contains the `secret`. " +
      "It cannot be read again.",
    permission: writing
  })
)

const update = HttpApiEndpoint.patch("update", "/:webhookId", {
  params,
  disableCodecs: true,
  payload: UnknownFields.refuse(WebhookInput.UpdateWebhook),
  success: Webhook.Webhook,
  error: problems("invalid_request", "not_found")
}).annotateMerge(
  describe({
    summary: "Change, disable or activate a webhook",
    description: "A webhook that is activated, or gets another URL, attempts its pending deliveries at once.",
    permission: writing
  })
)

const recover = HttpApiEndpoint.post("recover", "/:webhookId/recover", {
  params,
  disableCodecs: true,
  payload: WebhookInput.RecoverWebhook,
  success: Webhook.Webhook.pipe(HttpApiSchema.status(202)),
  error: problems("invalid_request", "not_found")
}).annotateMerge(
  describe({
    summary: "Queue failed deliveries again",
    description:
      "Queues all failed deliveries of events since a time again, in the background. The record has `recoveringSince` meanwhile.",
    permission: writing
  })
)

const list = HttpApiEndpoint.get("list", "/", {
  params: tenant,
  query: page,
  success: Page.of(Webhook.Webhook),
  error: problems("invalid_request", "invalid_cursor")
}).annotateMerge(describe({ summary: "List the webhooks of the tenant", permission: reading }))

const get = HttpApiEndpoint.get("get", "/:webhookId", {
  params,
  success: Webhook.Webhook,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get a webhook", permission: reading }))

const rotate = HttpApiEndpoint.post("rotate", "/:webhookId/rotate", {
  params,
  success: Webhook.WebhookWithSecret,
  error: problems("not_found", "webhooks_unavailable")
}).annotateMerge(
  describe({
    summary: "Replace the secret of a webhook",
    description:
      "For 24 hours deliveries are signed with both secrets. Only this response contains the new `secret`. It cannot be read again.",
    permission: writing
  })
)

const test = HttpApiEndpoint.post("test", "/:webhookId/test", {
  params,
  success: Webhook.QueuedTest.pipe(HttpApiSchema.status(202)),
  error: problems("not_found", "webhook_disabled", "webhooks_unavailable")
}).annotateMerge(
  describe({
    summary: "Send a test",
    description: "Queues a delivery of an event `webhook.test`, whatever the event types of the webhook are.",
    permission: writing
  })
)

const deliveries = HttpApiEndpoint.get("deliveries", "/:webhookId/deliveries", {
  params,
  query: {
    state: Schema.optional(Delivery.DeliveryState).annotate({ description: "Lists only deliveries in this state." }),
    ...page
  },
  success: Page.of(Delivery.Delivery),
  error: problems("invalid_request", "invalid_cursor", "not_found")
}).annotateMerge(
  describe({
    summary: "List the deliveries of a webhook",
    description: "The newest event first. Delivered ones are kept for a day, failed ones for 30 days.",
    permission: reading
  })
)

const delivery = HttpApiEndpoint.get("delivery", "/:webhookId/deliveries/:deliveryId", {
  params: deliveryParams,
  success: Delivery.Delivery,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get a delivery with the result of its last attempt", permission: reading }))

const replay = HttpApiEndpoint.post("replay", "/:webhookId/deliveries/:deliveryId/replay", {
  params: deliveryParams,
  success: Delivery.Delivery.pipe(HttpApiSchema.status(202)),
  error: problems("not_found")
}).annotateMerge(
  describe({
    summary: "Send the event of a delivery again",
    description:
      "Queues the delivery again, whatever its state is, with the same `webhook-id`. That of a DISABLED webhook waits until the webhook is ACTIVE.",
    permission: writing
  })
)

const remove = HttpApiEndpoint.delete("remove", "/:webhookId", {
  params,
  success: HttpApiSchema.NoContent,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Remove a webhook with its pending deliveries", permission: writing }))

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(create, update, recover)
  .middleware(JsonRequest)
  .add(list, get, rotate, test, deliveries, delivery, replay)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/webhooks")
  .annotate(OpenApi.Description, "URLs that receive the events of a tenant.") {}
