/**
 * The events of changes of webhooks.
 */
import type { Action, Detail } from "@holdfast/core/events/Event"
import type { StoredWebhook } from "@holdfast/core/webhooks/StoredWebhook"
import type { Change } from "../events/RecordEvent.ts"

/** The event has no URL: it may contain a secret. */
export const webhookEvent = (
  action: Action,
  { bucketId, id, name, tenantId }: Pick<StoredWebhook, "bucketId" | "id" | "name" | "tenantId">,
  detail: Detail = {}
): Change => ({ tenantId, ...(bucketId === null ? undefined : { bucketId }), action, target: { id, name }, detail })
