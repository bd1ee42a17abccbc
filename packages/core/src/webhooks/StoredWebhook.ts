/**
 * A webhook as the repositories store it.
 */
import type * as DateTime from "effect/DateTime"
import type { DisabledReason, WebhookState } from "./Webhook.ts"

/** Names a webhook. */
export interface WebhookRef {
  /** The `id` of the tenant. */
  readonly tenantId: string
  /** The `id` of the webhook. */
  readonly webhookId: string
}

export interface StoredWebhook {
  readonly tenantId: string
  readonly id: string
  readonly name: string
  readonly url: string
  /** Actions, prefixes that end with a dot, or `*` for all events. */
  readonly eventTypes: ReadonlyArray<string>
  readonly bucketId: string | null
  readonly state: WebhookState
  /** Null while the webhook is ACTIVE. */
  readonly disabledReason: DisabledReason | null
  /** Sealed, with the webhook's id as context. */
  readonly secret: string
  /** The secret before the last rotation, sealed likewise. It signs until then. */
  readonly formerSecret: { readonly secret: string; readonly until: DateTime.Utc } | null
  /** Every attempt since then has failed; null after a success. */
  readonly failingSince: DateTime.Utc | null
  /** A recovery of failed deliveries of events from this time on is not complete; null when none runs. */
  readonly recoveringSince: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
