/**
 * The tenants whose conversions wait for a worker, in the order in which workers serve them.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Row from "../Row.ts"
import { columnsOf, type Queue } from "./NextConversion.ts"

/** Tenants that one statement visits. */
const maxTenants = 500

export interface Visit {
  readonly queue: Queue
  readonly now: number
  /** Latest time from which a conversion waits. */
  readonly dueBy: number
  /** The visit begins behind this tenant in the order of ids. */
  readonly after: string
}

export interface Waiting {
  /** Ids: the tenant with the fewest running conversions first; among equals the one that has waited longest. */
  readonly tenantIds: ReadonlyArray<string>
  /** Where the next visit begins: at the first tenant, unless there are more than one statement visits. */
  readonly next: string
}

const toVisited: Row.FromRow<{ readonly tenantId: string; readonly isWaiting: boolean; readonly isLast: boolean }> = (
  row
) => ({
  tenantId: Row.text(row, "tenant_id"),
  isWaiting: row["due_at"] !== null,
  isLast: Row.int(row, "place") === maxTenants
})

/**
 * Finds the tenants that have a due conversion, or ladder, by one statement. It goes from tenant to tenant in the index
 * `conversion_turn`, or `conversion_ladder`, and reads one entry of each, so that it takes the same time however many conversions a tenant requests.
 */
export const waitingTenants = (sql: SqlClient, { after, dueBy, now, queue }: Visit) => {
  const { dueAt, state } = columnsOf(sql, queue)
  const firstAfter = (tenant: "$" | "tenants.tenant_id") => sql`(SELECT tenant_id FROM conversion
    WHERE ${dueAt} IS NOT NULL AND tenant_id > ${tenant === "$" ? after : sql.literal(tenant)}
    ORDER BY tenant_id, ${dueAt}, id LIMIT 1)`
  const limit = sql.literal(String(maxTenants))
  return sql`WITH RECURSIVE tenants (tenant_id, place) AS (
      SELECT ${firstAfter("$")}, 1
      UNION ALL
      SELECT ${firstAfter("tenants.tenant_id")}, place + 1 FROM tenants
        WHERE tenant_id IS NOT NULL AND place < ${limit})
    SELECT tenant_id, place, due_at FROM (
      SELECT tenant_id, place,
        (SELECT ${dueAt} FROM conversion WHERE conversion.tenant_id = tenants.tenant_id AND ${dueAt} <= ${dueBy}
          ORDER BY ${dueAt}, id LIMIT 1) AS due_at,
        (SELECT count(*) FROM conversion WHERE conversion.tenant_id = tenants.tenant_id AND ${state} = 'RUNNING'
          AND ${dueAt} > ${now}) AS running
      FROM tenants WHERE tenant_id IS NOT NULL) AS visited
    WHERE due_at IS NOT NULL OR place = ${limit}
    ORDER BY running, due_at, tenant_id`.pipe(
    Row.all(toVisited),
    Effect.map((visited): Waiting => ({
      tenantIds: visited.filter(({ isWaiting }) => isWaiting).map(({ tenantId }) => tenantId),
      next: visited.find(({ isLast }) => isLast)?.tenantId ?? ""
    }))
  )
}
