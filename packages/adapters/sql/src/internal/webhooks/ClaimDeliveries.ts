/**
 * Claims webhooks with their due deliveries.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { DeliveryClaim } from "@holdfast/core/webhooks/DeliveryRepository"
import { among } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { toClaimed } from "./DeliveryRow.ts"
import { isClaimable } from "./DueWebhooks.ts"
import { columns, toWebhook } from "./WebhookRow.ts"

/** As the input of `DeliveryRepository.claim`, with times in epoch milliseconds. */
interface Claim {
  readonly webhookIds: ReadonlyArray<string>
  readonly limit: number
  readonly lease: string
  readonly leaseUntil: number
  readonly now: number
}

/** Returns the first due deliveries of each webhook. */
const findDue = (sql: SqlClient, ids: ReadonlyArray<string>, { limit, now }: Claim) => {
  const selected = sql.literal("d.webhook_id, d.event_id, d.action, d.target_id, d.bucket_id, d.detail, d.attempts")
  const first = (webhookId: string, columns: string) =>
    sql`SELECT ${sql.literal(columns)} FROM webhook_delivery p
      WHERE p.webhook_id = ${sql.literal(webhookId)} AND p.state = 'PENDING' AND p.due_at <= ${now}
      ORDER BY p.due_at, p.event_id LIMIT ${limit}`
  return sql
    .onDialectOrElse({
      pg: () => sql`SELECT ${selected} FROM unnest(CAST(${ids} AS text[])) AS w (id)
        CROSS JOIN LATERAL (${first("w.id", "p.*")}) AS d ORDER BY d.webhook_id, d.due_at, d.event_id`,
      // SQLite has no LATERAL. CROSS JOIN keeps it to this order of the tables.
      orElse: () => sql`SELECT ${selected} FROM json_each(${JSON.stringify(ids)}) AS w CROSS JOIN webhook_delivery AS d
        WHERE d.webhook_id = w.value AND d.event_id IN (${first("w.value", "p.event_id")})
        ORDER BY d.webhook_id, d.due_at, d.event_id`
    })
    .pipe(Row.all(toClaimed))
}

/** As `DeliveryRepository.claim`, in a transaction. */
export const claimDeliveries = Effect.fnUntraced(function* (sql: SqlClient, claim: Claim) {
  const { lease, leaseUntil, now, webhookIds } = claim
  const claimed = yield* sql`UPDATE webhook SET lease = ${lease}, lease_until = ${leaseUntil}
    WHERE ${among(sql, "id", webhookIds)} AND ${isClaimable(sql, now)}
    RETURNING failures, ${sql.literal(columns)}`.pipe(
    Row.all((row) => ({ failures: Row.int(row, "failures"), webhook: toWebhook(row) }))
  )
  if (claimed.length === 0) return []
  const due = yield* findDue(
    sql,
    claimed.map(({ webhook }) => webhook.id),
    claim
  )
  const byWebhook = Map.groupBy(due, ({ webhookId }) => webhookId)
  return claimed.map(({ failures, webhook }): DeliveryClaim => ({
    webhook,
    lease,
    failures,
    deliveries: byWebhook.get(webhook.id) ?? []
  }))
})
