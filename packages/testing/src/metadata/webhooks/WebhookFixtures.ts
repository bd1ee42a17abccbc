/**
 * Steps that the contracts of the webhook repositories share.
 */
import type { StoredWebhook } from "@holdfast/core/webhooks/StoredWebhook"
import { type NewWebhook, WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as Effect from "effect/Effect"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

/** Returns a webhook for all events that is not stored yet. */
export const newWebhook = (tenantId: string, fields: Partial<NewWebhook> = {}): NewWebhook => ({
  tenantId,
  id: Sample.id("whk"),
  name: "A webhook",
  url: "https://example.com/events",
  eventTypes: ["*"],
  bucketId: null,
  secret: "sealed",
  at: Sample.at(),
  ...fields
})

/** Stores a webhook, of a new tenant unless it is given. */
export const create = Effect.fnUntraced(function* (tenantId?: string, fields: Partial<NewWebhook> = {}) {
  const owner = tenantId ?? (yield* Fixtures.tenant)
  const webhook: StoredWebhook = yield* (yield* WebhookRepository).create(newWebhook(owner, fields))
  return { tenantId: owner, webhook, ref: { tenantId: owner, webhookId: webhook.id } }
})
