/**
 * Rows of webhooks.
 */
import type { StoredWebhook } from "@holdfast/core/webhooks/StoredWebhook"
import { DisabledReason, WebhookState } from "@holdfast/core/webhooks/Webhook"
import * as Row from "../Row.ts"

/** The columns that `toWebhook` reads. Qualified by the table, because statements select them beside other columns. */
export const columns = `webhook.id, webhook.tenant_id, webhook.name, webhook.url, webhook.event_types, webhook.bucket_id,
  webhook.state, webhook.disabled_reason, webhook.secret, webhook.former_secret, webhook.former_until, webhook.failing_since,
  webhook.recovering_since, webhook.created_at, webhook.updated_at`

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

export const toWebhook: Row.FromRow<StoredWebhook> = (row) => ({
  id: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  name: Row.text(row, "name"),
  url: Row.text(row, "url"),
  eventTypes: Row.json(isTexts, row, "event_types"),
  bucketId: Row.orNull(Row.text, row, "bucket_id"),
  state: Row.oneOf(WebhookState.literals, row, "state"),
  disabledReason: row.disabled_reason === null ? null : Row.oneOf(DisabledReason.literals, row, "disabled_reason"),
  secret: Row.text(row, "secret"),
  formerSecret:
    row.former_secret === null
      ? null
      : { secret: Row.text(row, "former_secret"), until: Row.instant(row, "former_until") },
  failingSince: Row.orNull(Row.instant, row, "failing_since"),
  recoveringSince: Row.orNull(Row.instant, row, "recovering_since"),
  createdAt: Row.instant(row, "created_at"),
  updatedAt: Row.instant(row, "updated_at")
})
