/**
 * The WebhookRepository in SQL.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import * as Ids from "@holdfast/core/Ids"
import type { StoredWebhook, WebhookRef } from "@holdfast/core/webhooks/StoredWebhook"
import { type NewWebhook, type WebhookChange, WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as Reads from "../../Reads.ts"
import { isOpenBucket, isOpenTenant } from "../buckets/OpenBucket.ts"
import { lock, millis, unplanned, unplannedText } from "../Dialect.ts"
import { changedFields, record, recordFound, recordWithId } from "../events/RecordEvent.ts"
import * as Counted from "../quotas/Counted.ts"
import { noteRefusal } from "../quotas/ReachedLimits.ts"
import { requireRoom } from "../quotas/RequireRoom.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { webhookEvent } from "./WebhookEvents.ts"
import { isRecovering, recoverNext } from "./RecoverDeliveries.ts"
import { columns, toWebhook } from "./WebhookRow.ts"

/** The columns that a change sets. A webhook that is ACTIVE again, or has another URL, has not failed yet. */
const changedColumns = ({ bucketId, eventTypes, name, state, url }: WebhookChange) => ({
  ...(name === undefined ? undefined : { name }),
  ...(url === undefined ? undefined : { url }),
  ...(eventTypes === undefined ? undefined : { event_types: JSON.stringify(eventTypes) }),
  ...(bucketId === undefined ? undefined : { bucket_id: bucketId }),
  ...(state === undefined ? undefined : { state, disabled_reason: state === "ACTIVE" ? null : "REQUESTED" }),
  ...(state === "ACTIVE" || url !== undefined ? { failing_since: null, failures: 0, retry_at: 0 } : undefined)
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const poll = yield* Reads.makePolls(sql)
  const selected = sql.literal(columns)
  const isWebhook = ({ tenantId, webhookId }: WebhookRef) => sql`id = ${webhookId} AND tenant_id = ${tenantId}`

  const find = (ref: WebhookRef) => sql`SELECT ${selected} FROM webhook WHERE ${isWebhook(ref)}`

  const requireBucket = (tenantId: string, bucketId: string | null | undefined) =>
    bucketId === null || bucketId === undefined
      ? Effect.void
      : sql`SELECT id FROM bucket WHERE ${isOpenBucket(sql, { tenantId, bucketId })} ${lock(sql, "FOR KEY SHARE")}`.pipe(
          Row.orFail(() => new NotFound({ resource: "bucket" }))
        )

  const create = Effect.fnUntraced(function* (webhook: NewWebhook) {
    const { at, bucketId, eventTypes, id, name, secret, tenantId, url } = webhook
    yield* requireRoom(sql, tenantId, ({ webhooks }) => [
      { limit: "webhooks", maximum: webhooks, rows: Counted.webhooks(sql, tenantId) }
    ])
    yield* sql`SELECT id FROM tenant WHERE ${isOpenTenant(sql, tenantId)} ${lock(sql, "FOR KEY SHARE")}`.pipe(
      Row.orFail(() => new NotFound({ resource: "tenant" }))
    )
    yield* requireBucket(tenantId, bucketId)
    yield* record(sql, webhookEvent("webhook.created", webhook, { eventTypes: [...eventTypes] }))
    const created = yield* sql`INSERT INTO webhook ${sql.insert({
      id,
      tenant_id: tenantId,
      name,
      url,
      event_types: JSON.stringify(eventTypes),
      bucket_id: bucketId,
      state: "ACTIVE",
      secret,
      created_at: millis(at),
      updated_at: millis(at)
    })} RETURNING ${selected}`.pipe(Row.all(toWebhook))
    return created[0] as StoredWebhook
  })

  const update = Effect.fnUntraced(function* (ref: WebhookRef, change: WebhookChange, at: number) {
    yield* requireBucket(ref.tenantId, change.bucketId)
    return yield* sql`UPDATE webhook SET ${sql.update({ updated_at: at, ...changedColumns(change) })}
      WHERE ${isWebhook(ref)} RETURNING ${selected}`.pipe(
      Row.first(toWebhook),
      recordFound(sql, (updated) => webhookEvent("webhook.updated", updated, changedFields(change)))
    )
  })

  const test = Effect.fnUntraced(function* (ref: WebhookRef, at: number) {
    const found = yield* find(ref).pipe(Row.first(toWebhook))
    if (Option.isNone(found)) return Option.none<string>()
    const eventId = yield* recordWithId(sql, webhookEvent("webhook.test", found.value))
    const { id, tenantId } = found.value
    yield* sql`INSERT INTO webhook_delivery (webhook_id, event_id, tenant_id, action, target_id, detail, due_at)
      VALUES (${id}, ${eventId}, ${tenantId}, 'webhook.test', ${id}, '{}', ${at})`
    return Option.some(eventId)
  })

  const requestRecovery = Effect.fnUntraced(function* (ref: WebhookRef, since: DateTime.Utc, at: DateTime.Utc) {
    const found = yield* sql`SELECT ${selected} FROM webhook
      WHERE ${isWebhook(ref)} ${lock(sql, "FOR UPDATE")}`.pipe(Row.first(toWebhook))
    if (Option.isNone(found)) return found
    const { recoveringSince } = found.value
    const first = recoveringSince === null ? since : DateTime.min(since, recoveringSince)
    return yield* sql`UPDATE webhook SET ${sql.update({
      recovering_since: millis(first),
      recover_after: Ids.firstAt("evt", millis(first)),
      recover_to: Ids.firstAt("evt", millis(at) + 1)
    })} WHERE ${isWebhook(ref)} RETURNING ${selected}`.pipe(
      Row.first(toWebhook),
      recordFound(sql, (updated) =>
        webhookEvent("webhook.recovery_requested", updated, { since: DateTime.formatIso(since) })
      )
    )
  })

  return WebhookRepository.of({
    create: (webhook) =>
      create(webhook).pipe(transaction(sql), noteRefusal(sql, webhook.tenantId), operation("webhooks.create")),

    find: (ref) => find(ref).pipe(Row.first(toWebhook), operation("webhooks.find")),

    list: ({ after, limit, tenantId }) =>
      sql`SELECT ${selected} FROM webhook WHERE tenant_id = ${unplannedText(sql, tenantId)} AND id > ${after ?? ""}
        ORDER BY id LIMIT ${unplanned(sql, limit)}`.pipe(Row.all(toWebhook), operation("webhooks.list")),

    update: ({ at, change, webhook }) =>
      update(webhook, change, millis(at)).pipe(transaction(sql), operation("webhooks.update")),

    rotate: ({ at, formerUntil, secret, webhook }) =>
      sql`UPDATE webhook SET former_secret = secret, former_until = ${millis(formerUntil)}, secret = ${secret},
        updated_at = ${millis(at)} WHERE ${isWebhook(webhook)} RETURNING ${selected}`.pipe(
        Row.first(toWebhook),
        recordFound(sql, (rotated) => webhookEvent("webhook.rotated", rotated)),
        transaction(sql),
        operation("webhooks.rotate")
      ),

    remove: (ref) =>
      sql`DELETE FROM webhook WHERE ${isWebhook(ref)} RETURNING ${selected}`.pipe(
        Row.first(toWebhook),
        recordFound(sql, (removed) => webhookEvent("webhook.deleted", removed)),
        Effect.map(Option.isSome),
        transaction(sql),
        operation("webhooks.remove")
      ),

    test: ({ at, webhook }) => test(webhook, millis(at)).pipe(transaction(sql), operation("webhooks.test")),

    requestRecovery: ({ at, since, webhook }) =>
      requestRecovery(webhook, since, at).pipe(transaction(sql), operation("webhooks.requestRecovery")),

    recover: (terms) =>
      poll(isRecovering).pipe(
        Effect.flatMap((isDue) =>
          isDue ? recoverNext(sql, terms).pipe(transaction(sql)) : Effect.succeed<string | null>(null)
        ),
        operation("webhooks.recover")
      )
  })
})

export const layer: Layer.Layer<WebhookRepository, never, SqlClient> = Layer.effect(WebhookRepository, make)
