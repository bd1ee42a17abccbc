/**
 * Queues failed deliveries again, in batches.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { among, skipLocked } from "../Dialect.ts"
import * as Row from "../Row.ts"

const toRecovery = (row: Row.Row) => ({
  id: Row.text(row, "id"),
  after: Row.text(row, "recover_after"),
  to: Row.text(row, "recover_to")
})

/** Whether any recovery is not complete. Mostly none is, and a transaction on SQLite blocks all writers. */
export const isRecovering = (sql: SqlClient) =>
  Effect.map(sql`SELECT 1 AS one FROM webhook WHERE recovering_since IS NOT NULL LIMIT 1`, (rows) => rows.length > 0)

/** As `WebhookRepository.recover`, inside a transaction. Skips a webhook that another process works on. */
export const recoverNext = Effect.fnUntraced(function* (
  sql: SqlClient,
  { after, limit }: { readonly after: string; readonly limit: number }
) {
  const [webhook] = yield* sql`SELECT id, recover_after, recover_to FROM webhook
    WHERE recovering_since IS NOT NULL AND id > ${after} ORDER BY id LIMIT 1 ${skipLocked(sql)}`.pipe(
    Row.all(toRecovery)
  )
  if (webhook === undefined) return null
  const ofWebhook = sql`webhook_id = ${webhook.id}`
  const failed = yield* sql`SELECT event_id FROM webhook_delivery
    WHERE ${ofWebhook} AND state = 'FAILED' AND event_id > ${webhook.after} AND event_id <= ${webhook.to}
    ORDER BY event_id LIMIT ${limit} ${skipLocked(sql)}`.pipe(Row.all((row) => Row.text(row, "event_id")))
  yield* sql`UPDATE webhook_delivery SET state = 'PENDING', attempts = 0, due_at = 0, delete_at = NULL
    WHERE ${ofWebhook} AND ${among(sql, "event_id", failed)}`
  const last = failed.at(-1)
  yield* failed.length < limit || last === undefined
    ? sql`UPDATE webhook SET recovering_since = NULL, recover_after = NULL, recover_to = NULL WHERE id = ${webhook.id}`
    : sql`UPDATE webhook SET recover_after = ${last} WHERE id = ${webhook.id}`
  return webhook.id
})
