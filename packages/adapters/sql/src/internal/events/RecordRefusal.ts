/**
 * Writes the events of refused requests.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type Detail, refused } from "@holdfast/core/events/Event"
import { isOpenTenant } from "../buckets/OpenBucket.ts"
import * as Row from "../Row.ts"
import { record } from "./RecordEvent.ts"

/**
 * Writes an event if the tenant exists: clients may name any tenant. No transaction is needed, because an event may outlive its
 * tenant.
 */
export const recordRefusal = Effect.fnUntraced(function* (
  sql: SqlClient,
  { detail, tenantId }: { readonly tenantId: string; readonly detail: Detail }
) {
  const [name] = yield* sql`SELECT tenant.name FROM tenant WHERE ${isOpenTenant(sql, tenantId)}`.pipe(
    Row.all((row) => Row.text(row, "name"))
  )
  if (name === undefined) return
  yield* record(sql, { tenantId, action: refused, target: { id: tenantId, name }, detail })
})
