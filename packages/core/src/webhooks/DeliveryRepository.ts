/**
 * The port through which workers find, send and end the deliveries of webhooks. Each method is one atomic step.
 *
 * The transaction that writes an event also writes a delivery for each ACTIVE webhook of the tenant that wants the event. A worker
 * claims a webhook with a lease, sends some of its due deliveries one after the other, and completes the claim with the attempts.
 * When the lease expires before, another worker sends these deliveries again.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Detail } from "../events/Event.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type { Delivery, DeliveryAttempt, DeliveryState } from "./Delivery.ts"
import type { StoredWebhook, WebhookRef } from "./StoredWebhook.ts"
import type { DisabledReason } from "./Webhook.ts"

/** Names a delivery. */
export interface DeliveryRef extends WebhookRef {
  /** The id of the event. */
  readonly deliveryId: string
}

/** A webhook that has deliveries to send. */
export interface DueWebhook {
  readonly id: string
  readonly tenantId: string
}

/** What a worker needs of a delivery. */
export interface ClaimedDelivery {
  /** The id of the event. */
  readonly id: string
  readonly action: string
  readonly targetId: string | null
  readonly bucketId: string | null
  readonly detail: Detail
  /** Attempts that have failed. */
  readonly attempts: number
}

/** The right of a worker to send the deliveries of a webhook, until the lease expires. */
export interface DeliveryClaim {
  readonly webhook: StoredWebhook
  /** Unique to one claim. */
  readonly lease: string
  /** Consecutive failed attempts of all deliveries. */
  readonly failures: number
  /** Those that have been due the longest. */
  readonly deliveries: ReadonlyArray<ClaimedDelivery>
}

/** An attempt, and what follows from it. */
export interface AttemptResult {
  readonly deliveryId: string
  readonly attempt: DeliveryAttempt
  /** `until`: the time of the next attempt, or the time after which the ended delivery is deleted. */
  readonly next: { readonly state: DeliveryState; readonly until: DateTime.Utc }
}

export interface ClaimResult {
  readonly claim: DeliveryClaim
  readonly attempts: ReadonlyArray<AttemptResult>
  /** What the webhook is after these attempts. Ignored when a user has changed the webhook since the claim. */
  readonly webhook: {
    readonly failures: number
    readonly failingSince: DateTime.Utc | null
    /** No worker claims the webhook before. */
    readonly retryAt: DateTime.Utc
    /** Why the webhook becomes DISABLED; null when it stays as it is. */
    readonly disabled: Extract<DisabledReason, "FAILING" | "GONE"> | null
  }
}

export class DeliveryRepository extends Context.Service<
  DeliveryRepository,
  {
    /**
     * Returns at most `limit` ACTIVE webhooks that no worker has claimed and that have due deliveries: one of each tenant comes
     * before a second one of any. One statement, which looks at a bounded number of webhooks, ordered by id, from the first after
     * the id `after`. Webhooks without pending deliveries cost nothing. `next` is the id after which the search continues; null
     * when it has seen the last webhook.
     */
    readonly due: (input: {
      readonly after: string
      readonly limit: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<{ readonly webhooks: ReadonlyArray<DueWebhook>; readonly next: string | null }, MetadataError>

    /** Claims those of the webhooks that are still due, with at most `limit` deliveries of each. */
    readonly claim: (input: {
      readonly webhookIds: ReadonlyArray<string>
      readonly limit: number
      readonly lease: string
      readonly leaseUntil: DateTime.Utc
      readonly now: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<DeliveryClaim>, MetadataError>

    /** Records the results of claims, and ends their leases. Ignores those of claims whose lease was lost. */
    readonly complete: (results: ReadonlyArray<ClaimResult>) => Effect.Effect<void, MetadataError>

    /**
     * Expires the leases of all claims. Returns their number. Only for a process that is known to be the only one of its
     * deployment: the processes that held the leases have died.
     */
    readonly expireLeases: () => Effect.Effect<number, MetadataError>

    /** Replaces a sealed secret of a webhook by the same secret, sealed with another key. */
    readonly reseal: (input: {
      readonly webhookId: string
      readonly former: string
      readonly current: string
    }) => Effect.Effect<void, MetadataError>

    /** Lists the deliveries of a webhook, the newest first, from the first before the id `after`. */
    readonly list: (
      query: { readonly webhook: WebhookRef; readonly state: DeliveryState | undefined } & Slice
    ) => Effect.Effect<ReadonlyArray<Delivery>, MetadataError>

    /** Returns a delivery of a webhook; none when either does not exist. */
    readonly find: (delivery: DeliveryRef) => Effect.Effect<Option.Option<Delivery>, MetadataError>

    /** Makes a delivery PENDING and due, as if it had not been attempted. None when it or its webhook does not exist. */
    readonly replay: (delivery: DeliveryRef) => Effect.Effect<Option.Option<Delivery>, MetadataError>

    /** Deletes at most `limit` ended deliveries whose time has come. Skips those that another process deletes. Returns their number. */
    readonly deleteEnded: (input: {
      readonly now: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<number, MetadataError>

    /**
     * Deletes at most `limit` deliveries of one webhook that does not exist any more, or is DISABLED: of a DISABLED one those of
     * events before `before` that are PENDING. Looks at a bounded number of webhooks after the id `after`. Returns the id `after`
     * for the next call; null when there is nothing left.
     */
    readonly deleteAbandoned: (input: {
      readonly before: DateTime.Utc
      /** At first an empty text. */
      readonly after: string
      readonly limit: number
    }) => Effect.Effect<string | null, MetadataError>

    /** Counts the pending deliveries of the deployment, at most `limit`. */
    readonly queueDepth: (limit: number) => Effect.Effect<number, MetadataError>
  }
>()("@holdfast/core/webhooks/DeliveryRepository") {}
