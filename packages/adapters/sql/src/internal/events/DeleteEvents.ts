/**
 * Deletes old events.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Ids from "@holdfast/core/Ids"
import { skipLocked } from "../Dialect.ts"
import * as Row from "../Row.ts"

/** The tenants that one call looks at. */
const maxTenants = 200

interface Terms {
  readonly before: DateTime.Utc
  readonly after: string
  readonly limit: number
}

/** Returns the next tenants with events, and the oldest event of each. Steps from one tenant to the next in the key. */
const findTenants = (sql: SqlClient, after: string) => {
  const next = (condition: Fragment) =>
    sql`(SELECT e.tenant_id FROM event e WHERE ${condition} ORDER BY e.tenant_id, e.id LIMIT 1)`
  return sql`WITH RECURSIVE seen (tenant_id, position) AS (
      SELECT ${next(sql`e.tenant_id > ${after}`)}, 1
      UNION ALL
      SELECT ${next(sql`e.tenant_id > seen.tenant_id`)}, position + 1 FROM seen
      WHERE seen.tenant_id IS NOT NULL AND position < ${maxTenants})
    SELECT seen.tenant_id,
      (SELECT e.id FROM event e WHERE e.tenant_id = seen.tenant_id ORDER BY e.tenant_id, e.id LIMIT 1) AS oldest
    FROM seen WHERE seen.tenant_id IS NOT NULL ORDER BY position`.pipe(
    Row.all((row) => ({ tenantId: Row.text(row, "tenant_id"), oldest: Row.orNull(Row.text, row, "oldest") }))
  )
}

/** Deletes old events of the next tenant that has any. */
export const deleteOlder = Effect.fnUntraced(function* (sql: SqlClient, { after, before, limit }: Terms) {
  const end = Ids.firstAt("evt", DateTime.toEpochMillis(before))
  const tenants = yield* findTenants(sql, after)
  const due = tenants.find(({ oldest }) => oldest !== null && oldest < end)
  if (due === undefined) {
    return { deleted: 0, next: tenants.length < maxTenants ? null : (tenants.at(-1)?.tenantId ?? null) }
  }
  const { tenantId } = due
  const rows = yield* sql`DELETE FROM event WHERE tenant_id = ${tenantId} AND id IN (
      SELECT id FROM event WHERE tenant_id = ${tenantId} AND id < ${end} ORDER BY id LIMIT ${limit} ${skipLocked(sql)})
    RETURNING id`
  if (rows.length < limit) return { deleted: rows.length, next: tenantId }
  // The same tenant is next again: the position is before it.
  return { deleted: rows.length, next: tenants[tenants.indexOf(due) - 1]?.tenantId ?? after }
})
