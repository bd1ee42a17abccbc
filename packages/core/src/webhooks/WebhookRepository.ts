/**
 * The port that stores webhooks. Each method is one atomic step. `DeliveryRepository` is the port for what a worker does with
 * their deliveries.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { NotFound, QuotaExceeded } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type { StoredWebhook, WebhookRef } from "./StoredWebhook.ts"

export interface NewWebhook {
  readonly tenantId: string
  readonly id: string
  readonly name: string
  readonly url: string
  readonly eventTypes: ReadonlyArray<string>
  readonly bucketId: string | null
  /** Sealed, with the webhook's id as context. */
  readonly secret: string
  readonly at: DateTime.Utc
}

export interface WebhookChange {
  readonly name?: string | undefined
  readonly url?: string | undefined
  readonly eventTypes?: ReadonlyArray<string> | undefined
  readonly bucketId?: string | null | undefined
  /** `ACTIVE` ends the record of failures, and makes pending deliveries due. */
  readonly state?: "ACTIVE" | "DISABLED" | undefined
}

export class WebhookRepository extends Context.Service<
  WebhookRepository,
  {
    /**
     * Stores a webhook, which gets the events of all changes that are committed from then on. `NotFound` when the tenant or the
     * bucket does not exist. `QuotaExceeded` when the tenant has as many webhooks as `CurrentQuota` permits, also when others are
     * created at the same time.
     */
    readonly create: (webhook: NewWebhook) => Effect.Effect<StoredWebhook, NotFound | QuotaExceeded | MetadataError>

    readonly find: (webhook: WebhookRef) => Effect.Effect<Option.Option<StoredWebhook>, MetadataError>

    /** Lists the webhooks of a tenant, ordered by id. */
    readonly list: (
      query: { readonly tenantId: string } & Slice
    ) => Effect.Effect<ReadonlyArray<StoredWebhook>, MetadataError>

    /** Changes a webhook; none when it does not exist. `NotFound` when the new bucket does not exist. */
    readonly update: (input: {
      readonly webhook: WebhookRef
      readonly change: WebhookChange
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<StoredWebhook>, NotFound | MetadataError>

    /**
     * Replaces the secret; none when the webhook does not exist. The present one becomes the former one until `formerUntil`, and
     * replaces an earlier one.
     */
    readonly rotate: (input: {
      readonly webhook: WebhookRef
      readonly secret: string
      readonly formerUntil: DateTime.Utc
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<StoredWebhook>, MetadataError>

    /** Removes a webhook. Returns whether it existed. Its deliveries are never attempted again, and are deleted later. */
    readonly remove: (webhook: WebhookRef) => Effect.Effect<boolean, MetadataError>

    /** Queues a delivery of a new event `webhook.test` to this webhook alone; none when the webhook does not exist. Returns its id. */
    readonly test: (input: {
      readonly webhook: WebhookRef
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<string>, MetadataError>

    /**
     * Requests that the failed deliveries of events from `since` until `at` are queued again; none when the webhook does not exist.
     * Replaces a request that is not complete, and begins with the earlier of both times.
     */
    readonly requestRecovery: (input: {
      readonly webhook: WebhookRef
      readonly since: DateTime.Utc
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<StoredWebhook>, MetadataError>

    /**
     * Queues at most `limit` failed deliveries again, of the first webhook after the id `after` whose recovery is not complete. Returns
     * the id of that webhook; null when there is none. Several processes may call it at once.
     */
    readonly recover: (input: {
      readonly after: string
      readonly limit: number
    }) => Effect.Effect<string | null, MetadataError>
  }
>()("@holdfast/core/webhooks/WebhookRepository") {}
