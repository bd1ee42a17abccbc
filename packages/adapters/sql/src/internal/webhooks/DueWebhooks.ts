/**
 * Finds the webhooks that have deliveries to send.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { DueWebhook } from "@holdfast/core/webhooks/DeliveryRepository"
import { hasCome } from "../HasCome.ts"
import * as Row from "../Row.ts"

/** Webhooks with pending deliveries that one search looks at. */
const maxSeen = 500

/** The condition on a webhook that may be claimed. */
export const isClaimable = (sql: SqlClient, now: number) =>
  sql`webhook.state = 'ACTIVE' AND ${hasCome(sql, "webhook.retry_at", now)} AND ${hasCome(sql, "webhook.lease_until", now)}`

/** The first row has the position, and no webhook when none is due. */
const toFound: Row.FromRow<{ readonly next: string | null; readonly due: DueWebhook | undefined }> = (row) => ({
  next: Row.orNull(Row.text, row, "next_id"),
  due: row.id === null ? undefined : { id: Row.text(row, "id"), tenantId: Row.text(row, "tenant_id") }
})

/**
 * As `DeliveryRepository.due`. A recursive query steps from one webhook with pending deliveries to the next one, in the index of
 * pending deliveries: it never sees idle webhooks, nor more than one delivery of a webhook.
 */
export const findDueWebhooks = (
  sql: SqlClient,
  { after, limit, now }: { readonly after: string; readonly limit: number; readonly now: number }
) => {
  const collation = sql.literal(sql.onDialectOrElse({ pg: () => ` COLLATE "C"`, orElse: () => "" }))
  return sql`WITH RECURSIVE pending (id, position) AS (
      SELECT CAST(${after} AS text)${collation}, 0
      UNION ALL
      SELECT (SELECT d.webhook_id FROM webhook_delivery d WHERE d.state = 'PENDING' AND d.webhook_id > pending.id
        ORDER BY d.webhook_id, d.due_at, d.event_id LIMIT 1), position + 1
      FROM pending WHERE id IS NOT NULL AND position < ${maxSeen}),
    part (next_id) AS (SELECT MAX(id) FROM pending WHERE position = ${maxSeen}),
    fair AS (
      SELECT webhook.id, webhook.tenant_id,
        ROW_NUMBER() OVER (PARTITION BY webhook.tenant_id ORDER BY random()) AS turn
      FROM pending JOIN webhook ON webhook.id = pending.id
      WHERE position > 0 AND ${isClaimable(sql, now)}
        AND (SELECT d.due_at FROM webhook_delivery d WHERE d.state = 'PENDING' AND d.webhook_id = webhook.id
          ORDER BY d.webhook_id, d.due_at, d.event_id LIMIT 1) <= ${now})
    SELECT part.next_id, fair.id, fair.tenant_id FROM part LEFT JOIN fair ON 1 = 1
    ORDER BY turn, random() LIMIT ${limit}`.pipe(
    Row.all(toFound),
    Effect.map((rows) => ({ webhooks: rows.flatMap(({ due }) => due ?? []), next: rows[0]?.next ?? null }))
  )
}
