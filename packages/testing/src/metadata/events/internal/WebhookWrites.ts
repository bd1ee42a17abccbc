/**
 * One call of each method of the webhook repositories that writes an event.
 */
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import { WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as Option from "effect/Option"
import * as Fixtures from "../../Fixtures.ts"
import * as Sample from "../../Sample.ts"
import * as WebhookFixtures from "../../webhooks/WebhookFixtures.ts"
import { type Write, write } from "./Write.ts"

const at = Sample.at(1)

export const webhookWrites: Readonly<Record<string, Write>> = {
  "WebhookRepository.create": write("webhook.created", function* () {
    const { bucketId, tenantId } = yield* Fixtures.bucket()
    const webhook = WebhookFixtures.newWebhook(tenantId, { bucketId, eventTypes: ["file."] })
    const change = (yield* WebhookRepository).create(webhook)
    return { tenantId, bucketId, id: webhook.id, name: webhook.name, detail: { eventTypes: ["file."] }, change }
  }),
  "WebhookRepository.update": write("webhook.updated", function* () {
    const { ref, tenantId, webhook } = yield* WebhookFixtures.create()
    const change = (yield* WebhookRepository).update({ webhook: ref, change: { name: "New", url: undefined }, at })
    return { tenantId, id: webhook.id, name: "New", detail: { fields: ["name"] }, change }
  }),
  "WebhookRepository.rotate": write("webhook.rotated", function* () {
    const { ref, tenantId, webhook } = yield* WebhookFixtures.create()
    const change = (yield* WebhookRepository).rotate({ webhook: ref, secret: "sealed", formerUntil: Sample.at(2), at })
    return { tenantId, id: webhook.id, name: webhook.name, change }
  }),
  "WebhookRepository.remove": write("webhook.deleted", function* () {
    const { ref, tenantId, webhook } = yield* WebhookFixtures.create()
    return { tenantId, id: webhook.id, name: webhook.name, change: (yield* WebhookRepository).remove(ref) }
  }),
  "WebhookRepository.test": write("webhook.test", function* () {
    const { ref, tenantId, webhook } = yield* WebhookFixtures.create()
    return {
      tenantId,
      id: webhook.id,
      name: webhook.name,
      change: (yield* WebhookRepository).test({ webhook: ref, at })
    }
  }),
  "WebhookRepository.requestRecovery": write("webhook.recovery_requested", function* () {
    const { ref, tenantId, webhook } = yield* WebhookFixtures.create()
    const change = (yield* WebhookRepository).requestRecovery({ webhook: ref, since: at, at: Sample.at(2) })
    return { tenantId, id: webhook.id, name: webhook.name, change }
  }),
  "DeliveryRepository.complete": write("webhook.disabled", function* () {
    const { ref, tenantId, webhook } = yield* WebhookFixtures.create()
    const claim = { webhook, lease: "lease", failures: 0, deliveries: [] }
    const deliveries = yield* DeliveryRepository
    yield* (yield* WebhookRepository).test({ webhook: ref, at: Sample.at() })
    const now = Sample.at(1000)
    yield* deliveries.claim({ webhookIds: [webhook.id], limit: 1, lease: claim.lease, leaseUntil: now, now })
    const change = deliveries.complete([
      { claim, attempts: [], webhook: { failures: 1, failingSince: at, retryAt: at, disabled: "GONE" } }
    ])
    return { tenantId, id: webhook.id, name: webhook.name, detail: { reason: "GONE" }, change }
  }),
  "DeliveryRepository.replay": write("webhook.delivery_replayed", function* () {
    const { ref, tenantId, webhook } = yield* WebhookFixtures.create()
    const test = yield* (yield* WebhookRepository).test({ webhook: ref, at: Sample.at() })
    const deliveryId = Option.getOrThrow(test)
    const change = (yield* DeliveryRepository).replay({ ...ref, deliveryId })
    return { tenantId, id: webhook.id, name: null, detail: { deliveryId }, change }
  })
}
