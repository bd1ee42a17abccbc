/**
 * `client.webhooks`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { WebhookOperations } from "@holdfast/core/promises/resources/WebhooksApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const webhooks = "/tenants/:tenantId/webhooks"
const webhook = `${webhooks}/:webhookId`

export interface WebhooksClient extends Methods<WebhookOperations<string>, []> {}

export const make = (transport: Transport): WebhooksClient =>
  Routes.bind<WebhookOperations<string>>(
    transport,
    {
      create: { method: "POST", path: webhooks, hasBody: true },
      list: { method: "GET", path: webhooks, query: ["limit", "cursor"] },
      get: { method: "GET", path: webhook },
      update: { method: "PATCH", path: webhook, hasBody: true },
      remove: { method: "DELETE", path: webhook },
      rotate: { method: "POST", path: `${webhook}/rotate` },
      test: { method: "POST", path: `${webhook}/test` },
      recover: { method: "POST", path: `${webhook}/recover`, hasBody: true },
      deliveries: { method: "GET", path: `${webhook}/deliveries`, query: ["state", "limit", "cursor"] },
      delivery: { method: "GET", path: `${webhook}/deliveries/:deliveryId` },
      replay: { method: "POST", path: `${webhook}/deliveries/:deliveryId/replay` }
    },
    { list: true, deliveries: true }
  )
