/**
 * The DeliveryRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { type DeliveryRef, DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import * as Reads from "../../Reads.ts"
import { millis, unplanned, unplannedText } from "../Dialect.ts"
import { recordFound } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { claimDeliveries } from "./ClaimDeliveries.ts"
import { completeDeliveries } from "./CompleteDeliveries.ts"
import { deleteAbandoned, deleteEnded } from "./DeleteDeliveries.ts"
import { columns, toDelivery } from "./DeliveryRow.ts"
import { findDueWebhooks } from "./DueWebhooks.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const poll = yield* Reads.makePolls(sql)
  const selected = sql.literal(columns)
  // SQLite has no statistics of the tables, so that the statement names the index.
  const byState = sql.literal(
    sql.onDialectOrElse({
      pg: () => "webhook_delivery",
      orElse: () => "webhook_delivery INDEXED BY webhook_delivery_state"
    })
  )
  /** The deliveries of a deleted webhook remain until `deleteAbandoned` finds them. */
  const isDelivery = ({ deliveryId, tenantId, webhookId }: DeliveryRef) =>
    sql`webhook_id = ${webhookId} AND event_id = ${deliveryId} AND tenant_id = ${tenantId}
      AND EXISTS (SELECT 1 FROM webhook WHERE id = ${webhookId})`

  return DeliveryRepository.of({
    due: ({ after, limit, now }) =>
      poll((client) => findDueWebhooks(client, { after, limit, now: millis(now) })).pipe(operation("deliveries.due")),

    claim: ({ leaseUntil, now, ...input }) =>
      claimDeliveries(sql, { ...input, leaseUntil: millis(leaseUntil), now: millis(now) }).pipe(
        transaction(sql),
        operation("deliveries.claim")
      ),

    complete: (results) => completeDeliveries(sql, results).pipe(transaction(sql), operation("deliveries.complete")),

    expireLeases: () =>
      sql`UPDATE webhook SET lease = NULL, lease_until = 0 WHERE lease IS NOT NULL RETURNING id`.pipe(
        Effect.map((rows) => rows.length),
        operation("deliveries.expireLeases")
      ),

    reseal: ({ current, former, webhookId }) =>
      sql`UPDATE webhook SET secret = CASE WHEN secret = ${former} THEN ${current} ELSE secret END,
          former_secret = CASE WHEN former_secret = ${former} THEN ${current} ELSE former_secret END
        WHERE id = ${webhookId}`.pipe(Effect.asVoid, operation("deliveries.reseal")),

    list: ({ after, limit, state, webhook }) =>
      sql`SELECT ${selected} FROM ${state === undefined ? sql.literal("webhook_delivery") : byState}
        WHERE webhook_id = ${unplannedText(sql, webhook.webhookId)} AND tenant_id = ${webhook.tenantId}
          AND ${state === undefined ? sql`1 = 1` : sql`state = ${unplannedText(sql, state)}`}
          AND ${after === undefined ? sql`1 = 1` : sql`event_id < ${after}`}
        ORDER BY event_id DESC LIMIT ${unplanned(sql, limit)}`.pipe(Row.all(toDelivery), operation("deliveries.list")),

    find: (delivery) =>
      sql`SELECT ${selected} FROM webhook_delivery WHERE ${isDelivery(delivery)}`.pipe(
        Row.first(toDelivery),
        operation("deliveries.find")
      ),

    replay: (delivery) =>
      sql`UPDATE webhook_delivery SET state = 'PENDING', attempts = 0, due_at = 0, delete_at = NULL
        WHERE ${isDelivery(delivery)} RETURNING ${selected}`.pipe(
        Row.first(toDelivery),
        recordFound(sql, ({ id, webhookId }) => ({
          tenantId: delivery.tenantId,
          action: "webhook.delivery_replayed",
          target: { id: webhookId, name: null },
          detail: { deliveryId: id }
        })),
        transaction(sql),
        operation("deliveries.replay")
      ),

    deleteEnded: ({ limit, now }) =>
      deleteEnded(sql, { limit, now: millis(now) }).pipe(operation("deliveries.deleteEnded")),

    deleteAbandoned: ({ before, ...terms }) =>
      deleteAbandoned(sql, { ...terms, before: millis(before) }).pipe(operation("deliveries.deleteAbandoned")),

    queueDepth: (limit) =>
      sql`SELECT COUNT(*) AS pending FROM (
          SELECT 1 AS one FROM webhook_delivery WHERE state = 'PENDING' LIMIT ${limit}) AS part`.pipe(
        Row.all((row) => Row.int(row, "pending")),
        Effect.map(([pending = 0]) => pending),
        operation("deliveries.queueDepth")
      )
  })
})

export const layer: Layer.Layer<DeliveryRepository, never, SqlClient> = Layer.effect(DeliveryRepository, make)
