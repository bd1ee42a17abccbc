/**
 * Rows of deliveries.
 */
import * as Predicate from "effect/Predicate"
import type { Detail } from "@holdfast/core/events/Event"
import * as DateTime from "effect/DateTime"
import * as Ids from "@holdfast/core/Ids"
import { type Delivery, DeliveryError, DeliveryState } from "@holdfast/core/webhooks/Delivery"
import type { ClaimedDelivery } from "@holdfast/core/webhooks/DeliveryRepository"
import * as Row from "../Row.ts"

/** The columns that `toDelivery` reads. */
export const columns = "webhook_id, event_id, action, state, attempts, due_at, attempted_at, status, duration, error"

export const toDelivery: Row.FromRow<Delivery> = (row) => {
  const id = Row.text(row, "event_id")
  const state = Row.oneOf(DeliveryState.literals, row, "state")
  const dueAt = Row.int(row, "due_at")
  return {
    id,
    webhookId: Row.text(row, "webhook_id"),
    type: Row.text(row, "action"),
    state,
    attempts: Row.int(row, "attempts"),
    lastAttempt:
      row.attempted_at === null
        ? null
        : {
            at: Row.instant(row, "attempted_at"),
            status: Row.orNull(Row.int, row, "status"),
            duration: Row.int(row, "duration"),
            error: row.error === null ? null : Row.oneOf(DeliveryError.literals, row, "error")
          },
    nextAttemptAt: state === "PENDING" && dueAt > 0 ? DateTime.makeUnsafe(dueAt) : null,
    createdAt: DateTime.makeUnsafe(Ids.createdAt(id))
  }
}

/** The column is a copy of that of the event, which was written from a checked value. */
const isDetail = (value: unknown): value is Detail => Predicate.isObject(value)

export const toClaimed: Row.FromRow<ClaimedDelivery & { readonly webhookId: string }> = (row) => ({
  webhookId: Row.text(row, "webhook_id"),
  id: Row.text(row, "event_id"),
  action: Row.text(row, "action"),
  targetId: Row.orNull(Row.text, row, "target_id"),
  bucketId: Row.orNull(Row.text, row, "bucket_id"),
  detail: Row.json(isDetail, row, "detail"),
  attempts: Row.int(row, "attempts")
})
