/**
 * Records the attempts of claims, and ends their leases.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { ClaimResult } from "@holdfast/core/webhooks/DeliveryRepository"
import { millis } from "../Dialect.ts"
import { record } from "../events/RecordEvent.ts"
import { recordset } from "../mirrors/MirrorRow.ts"
import * as Row from "../Row.ts"
import { webhookEvent } from "./WebhookEvents.ts"

const webhookFields = {
  webhook: "text",
  held: "text",
  changed_at: "bigint",
  new_failures: "bigint",
  since: "bigint",
  retry: "bigint",
  reason: "text"
} as const

/**
 * Ends the leases that are still held; returns the ids of their webhooks. A webhook that a user has changed since the claim keeps
 * its state: it may have another URL.
 */
const endLeases = (sql: SqlClient, results: ReadonlyArray<ClaimResult>) => {
  const rows = results.map(({ claim, webhook }) => ({
    webhook: claim.webhook.id,
    held: claim.lease,
    changed_at: millis(claim.webhook.updatedAt),
    new_failures: webhook.failures,
    since: webhook.failingSince === null ? null : millis(webhook.failingSince),
    retry: millis(webhook.retryAt),
    reason: webhook.disabled
  }))
  const ifUnchanged = (value: string, column: string) =>
    sql.literal(`CASE WHEN updated_at = a.changed_at AND state = 'ACTIVE' THEN ${value} ELSE ${column} END`)
  return sql`UPDATE webhook SET lease = NULL, lease_until = 0,
      failures = ${ifUnchanged("a.new_failures", "failures")},
      failing_since = ${ifUnchanged("a.since", "failing_since")},
      retry_at = ${ifUnchanged("a.retry", "retry_at")},
      disabled_reason = ${ifUnchanged("a.reason", "disabled_reason")},
      state = ${ifUnchanged("CASE WHEN a.reason IS NULL THEN 'ACTIVE' ELSE 'DISABLED' END", "state")}
    FROM ${recordset(sql, "a", webhookFields, rows)}
    WHERE webhook.id = a.webhook AND webhook.lease = a.held
    RETURNING id, disabled_reason`.pipe(
    Row.all((row) => ({ id: Row.text(row, "id"), reason: Row.orNull(Row.text, row, "disabled_reason") }))
  )
}

const attemptFields = {
  webhook: "text",
  delivery: "text",
  new_state: "text",
  until: "bigint",
  at: "bigint",
  answer: "bigint",
  took: "bigint",
  fault: "text"
} as const

/** Updates the deliveries. One that is no longer pending, or was deleted, stays as it is. */
const recordAttempts = (sql: SqlClient, results: ReadonlyArray<ClaimResult>) => {
  const rows = results.flatMap(({ attempts, claim }) =>
    attempts.map(({ attempt, deliveryId, next }) => ({
      webhook: claim.webhook.id,
      delivery: deliveryId,
      new_state: next.state,
      until: millis(next.until),
      at: millis(attempt.at),
      answer: attempt.status,
      took: attempt.duration,
      fault: attempt.error
    }))
  )
  return rows.length === 0
    ? Effect.void
    : sql`UPDATE webhook_delivery AS d SET state = a.new_state, attempts = d.attempts + 1, attempted_at = a.at,
          status = a.answer, duration = a.took, error = a.fault,
          due_at = CASE WHEN a.new_state = 'PENDING' THEN a.until ELSE d.due_at END,
          delete_at = CASE WHEN a.new_state = 'PENDING' THEN NULL ELSE a.until END
        FROM ${recordset(sql, "a", attemptFields, rows)}
        WHERE d.webhook_id = a.webhook AND d.event_id = a.delivery AND d.state = 'PENDING'`
}

/** As `DeliveryRepository.complete`, in a transaction. */
export const completeDeliveries = Effect.fnUntraced(function* (sql: SqlClient, results: ReadonlyArray<ClaimResult>) {
  if (results.length === 0) return
  const ended = new Map((yield* endLeases(sql, results)).map(({ id, reason }) => [id, reason]))
  const held = results.filter(({ claim }) => ended.has(claim.webhook.id))
  yield* recordAttempts(sql, held)
  for (const { claim, webhook } of held) {
    const { disabled } = webhook
    if (disabled === null || ended.get(claim.webhook.id) !== disabled) continue
    yield* record(sql, webhookEvent("webhook.disabled", claim.webhook, { reason: disabled }))
  }
})
