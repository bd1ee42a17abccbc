/**
 * What a delivery sends to its receiver, which imports these types.
 */
import type { Action } from "../events/Event.ts"

/** What has happened. Later versions may add others. */
export type WebhookEventType = Exclude<Action, "request.refused">

/**
 * The ids of what has changed, and facts about the change. It has no names, which may be personal: a receiver reads them with a key
 * of its own.
 */
export interface WebhookData {
  readonly tenantId: string
  readonly bucketId?: string
  readonly memberId?: string
  readonly tokenId?: string
  readonly fileId?: string
  readonly conversionId?: string
  readonly captionsId?: string
  readonly mirrorId?: string
  readonly webhookId?: string
  readonly shareId?: string
  readonly accountId?: string
  readonly accountKeyId?: string
  /** Of a stream. */
  readonly format?: string
  /** Of the file. Deliveries may arrive in another order than the changes. */
  readonly version?: number
  /** Of the content; null for a file without one. */
  readonly etag?: string | null
  /** Bytes of the content; null for a file without one. */
  readonly size?: number | null
  /** How many records one change has changed. Their ids are in `ids`, not in the fields above. */
  readonly count?: number
  /** The first 100 ids. */
  readonly ids?: ReadonlyArray<string>
  readonly reason?: string
  /** Whose limit was reached: `tenant` or `bucket`. */
  readonly owner?: string
  readonly limit?: string
  readonly percent?: number
  readonly maximum?: number
  readonly use?: number
}

export interface WebhookEvent {
  /** The same in every attempt. */
  readonly id: string
  readonly type: WebhookEventType
  /** When it happened: an ISO 8601 time in UTC. */
  readonly timestamp: string
  readonly data: WebhookData
}
