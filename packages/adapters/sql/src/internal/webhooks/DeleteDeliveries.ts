/**
 * Deletes deliveries that ended long ago, or whose webhook is deleted or DISABLED, in batches.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Ids from "@holdfast/core/Ids"
import { skipLocked } from "../Dialect.ts"
import * as Row from "../Row.ts"

/** As `DeliveryRepository.deleteEnded`. */
export const deleteEnded = (sql: SqlClient, { limit, now }: { readonly limit: number; readonly now: number }) =>
  sql`DELETE FROM webhook_delivery WHERE (webhook_id, event_id) IN (
      SELECT webhook_id, event_id FROM webhook_delivery WHERE delete_at IS NOT NULL AND delete_at <= ${now}
      ORDER BY delete_at LIMIT ${limit} ${skipLocked(sql)}) RETURNING event_id`.pipe(Effect.map(({ length }) => length))

/** The webhooks that one call looks at. */
const maxWebhooks = 200

/** Returns the next webhooks with deliveries. Steps from one to the next in the key. */
const findWebhooks = (sql: SqlClient, after: string) => {
  const collation = sql.literal(sql.onDialectOrElse({ pg: () => ` COLLATE "C"`, orElse: () => "" }))
  return sql`WITH RECURSIVE seen (id, position) AS (
      SELECT CAST(${after} AS text)${collation}, 0
      UNION ALL
      SELECT (SELECT d.webhook_id FROM webhook_delivery d WHERE d.webhook_id > seen.id
        ORDER BY d.webhook_id, d.event_id LIMIT 1), position + 1
      FROM seen WHERE id IS NOT NULL AND position < ${maxWebhooks})
    SELECT seen.id, webhook.state FROM seen LEFT JOIN webhook ON webhook.id = seen.id
    WHERE seen.id IS NOT NULL AND position > 0 ORDER BY position`.pipe(
    Row.all((row) => ({ id: Row.text(row, "id"), state: Row.orNull(Row.text, row, "state") }))
  )
}

interface Terms {
  /** Epoch milliseconds. */
  readonly before: number
  readonly after: string
  readonly limit: number
}

/** As `DeliveryRepository.deleteAbandoned`. */
export const deleteAbandoned = Effect.fnUntraced(function* (sql: SqlClient, { after, before, limit }: Terms) {
  const webhooks = yield* findWebhooks(sql, after)
  let position = after
  for (const { id, state } of webhooks) {
    if (state !== "ACTIVE") {
      const isAbandoned =
        state === null ? sql`1 = 1` : sql`state = 'PENDING' AND event_id < ${Ids.firstAt("evt", before)}`
      const rows = yield* sql`DELETE FROM webhook_delivery WHERE webhook_id = ${id} AND event_id IN (
          SELECT event_id FROM webhook_delivery WHERE webhook_id = ${id} AND ${isAbandoned}
          ORDER BY event_id LIMIT ${limit} ${skipLocked(sql)}) RETURNING event_id`
      // The same webhook is next again: the position is before it.
      if (rows.length > 0) return rows.length < limit ? id : position
    }
    position = id
  }
  return webhooks.length < maxWebhooks ? null : position
})
