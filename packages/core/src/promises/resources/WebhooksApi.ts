/**
 * Webhooks of a tenant: `holdfast.webhooks` and `client.webhooks`.
 */
import * as Effect from "effect/Effect"
import type { ActionPrefix, ChangeAction } from "../../events/Event.ts"
import type * as Page from "../../Page.ts"
import type { WebhookRef } from "../../webhooks/StoredWebhook.ts"
import type * as Delivery from "../../webhooks/Delivery.ts"
import { type DeliveriesRequest, Deliveries } from "../../webhooks/Deliveries.ts"
import type { DeliveryRef } from "../../webhooks/DeliveryRepository.ts"
import type * as Webhook from "../../webhooks/Webhook.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import * as Times from "../internal/Times.ts"
import type { TenantRef } from "./internal/Shared.ts"

export interface WebhookRecord<Time = Date> extends Times.WithTimes<Webhook.Webhook, Time> {}
export interface WebhookWithSecretRecord<Time = Date> extends Times.WithTimes<Webhook.WebhookWithSecret, Time> {}
export interface QueuedTestRecord extends Webhook.QueuedTest {}

/** An action such as `file.created`, a prefix that ends with a dot such as `file.`, or `*` for all events. */
export type EventType = ChangeAction | ActionPrefix | "*"

export interface CreateWebhookInput extends TenantRef {
  /** For people; at most 255 bytes. */
  readonly name: string
  /** An https URL at a public address, without user name, password and fragment. */
  readonly url: string
  /** Actions such as `file.created`, prefixes that end with a dot such as `file.`, or `*`. Default: all events. */
  readonly eventTypes?: ReadonlyArray<EventType> | undefined
  /** Sends only the events of this bucket. Default: those of the whole tenant. */
  readonly bucketId?: string | null | undefined
}

/** What to change of a webhook. Absent fields stay as they are. */
export interface UpdateWebhookInput extends WebhookRef {
  /** The new name. */
  readonly name?: string | undefined
  /** The new address. */
  readonly url?: string | undefined
  /** The new events. */
  readonly eventTypes?: ReadonlyArray<EventType> | undefined
  /** Sends only the events of this bucket; null for those of the whole tenant. */
  readonly bucketId?: string | null | undefined
  /** `ACTIVE` also ends the record of failures: what is pending is attempted at once. */
  readonly state?: "ACTIVE" | "DISABLED" | undefined
}

export interface ListWebhooksInput extends TenantRef, Page.Request {}

export interface DeliveryRecord<Time = Date> extends Times.WithTimes<Delivery.Delivery, Time> {}
export interface ListDeliveriesInput extends WebhookRef, DeliveriesRequest {}

export interface RecoverWebhookInput extends WebhookRef {
  /** The time of the first event whose failed delivery is queued again. */
  readonly since: Times.TimeInput
}

export interface WebhookOperations<Time> {
  /**
   * Creates a webhook for the events from now on. No later call returns its `secret`. Rejects with `quota_exceeded`, and
   * with `webhooks_unavailable` where the deployment has no secret key or sends no webhooks.
   */
  create(input: CreateWebhookInput): WebhookWithSecretRecord<Time>

  /** Lists the webhooks of a tenant. */
  list(input: ListWebhooksInput): Page.Page<WebhookRecord<Time>>

  /** Returns a webhook. */
  get(input: WebhookRef): WebhookRecord<Time>

  /** Changes a webhook, disables it or activates it again. Pending deliveries are attempted at once. */
  update(input: UpdateWebhookInput): WebhookRecord<Time>

  /** Removes a webhook with its pending deliveries. */
  remove(input: WebhookRef): void

  /** Replaces the secret. For 24 hours deliveries are signed with both. No later call returns the new `secret`. */
  rotate(input: WebhookRef): WebhookWithSecretRecord<Time>

  /**
   * Queues a delivery of an event `webhook.test`. Rejects with `webhook_disabled` when the webhook is DISABLED, and with
   * `webhooks_unavailable` where the deployment sends no webhooks.
   */
  test(input: WebhookRef): QueuedTestRecord

  /** Queues all failed deliveries of events since a time again. Resolves before the work is done. */
  recover(input: RecoverWebhookInput): WebhookRecord<Time>

  /** Lists the deliveries of a webhook with the result of the last attempt, the newest event first. */
  deliveries(input: ListDeliveriesInput): Page.Page<DeliveryRecord<Time>>

  /** Returns a delivery. */
  delivery(input: DeliveryRef): DeliveryRecord<Time>

  /** Sends the event of a delivery again, with the same id. Resolves before it is sent. */
  replay(input: DeliveryRef): DeliveryRecord<Time>
}

export interface WebhooksApi extends Methods<WebhookOperations<Date>, [actor: ActorHandle]> {}

const webhook = { ...Fields.tenant, webhookId: "id" } as const
const delivery = { ...webhook, deliveryId: "id" } as const

export const make = (invoke: Invoke): WebhooksApi =>
  bind<WebhookOperations<Date>>(
    invoke,
    {
      create: (actor, input) => Webhooks.use((service) => service.create(actor, input.tenantId, input)),
      list: (actor, input) => Webhooks.use((service) => service.list(actor, input.tenantId, input)),
      get: (actor, input) => Webhooks.use((service) => service.get(actor, input)),
      update: (actor, input) => Webhooks.use((service) => service.update(actor, input, input)),
      remove: (actor, input) => Webhooks.use((service) => service.remove(actor, input)),
      rotate: (actor, input) => Webhooks.use((service) => service.rotate(actor, input)),
      test: (actor, input) => Webhooks.use((service) => service.test(actor, input)),
      recover: (actor, input) =>
        Effect.flatMap(Times.decode(input.since, "/since"), (since) =>
          Webhooks.use((service) => service.recover(actor, input, { since }))
        ),
      deliveries: (actor, input) => Deliveries.use((service) => service.list(actor, input, input)),
      delivery: (actor, input) => Deliveries.use((service) => service.get(actor, input)),
      replay: (actor, input) => Deliveries.use((service) => service.replay(actor, input))
    },
    {
      create: { ...Fields.tenant, name: true, url: true, eventTypes: true, bucketId: true },
      list: { ...Fields.tenant, ...Fields.page },
      get: webhook,
      remove: webhook,
      rotate: webhook,
      test: webhook,
      recover: { ...webhook, since: true },
      delivery,
      replay: delivery,
      update: {
        ...webhook,
        name: true,
        url: true,
        eventTypes: true,
        bucketId: true,
        state: true
      },
      deliveries: { ...webhook, ...Fields.page, state: true }
    },
    { list: true, deliveries: true }
  )
