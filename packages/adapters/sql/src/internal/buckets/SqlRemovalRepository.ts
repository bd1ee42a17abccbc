/**
 * The RemovalRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { type RemovalClaim, RemovalRepository } from "@holdfast/core/buckets/RemovalRepository"
import * as Reads from "../../Reads.ts"
import { millis, skipLocked } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { runStep } from "./Removals.ts"

const toClaim: Row.FromRow<RemovalClaim> = (row) => ({
  id: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  kind: Row.oneOf(["BUCKET", "TENANT"], row, "kind"),
  lease: Row.text(row, "lease"),
  deleted: Row.int(row, "deleted")
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const poll = yield* Reads.makePolls(sql)

  const claim = (terms: { readonly lease: string; readonly leaseUntil: number; readonly now: number }) => {
    const due = (client: SqlClient) =>
      client`SELECT id FROM removal WHERE due_at <= ${terms.now} ORDER BY due_at, id LIMIT 1`
    // Selects before it writes: mostly no removal is due, and a write on SQLite blocks all writers.
    return Effect.flatMap(poll(due), (rows) =>
      rows.length === 0
        ? Effect.succeedNone
        : sql`UPDATE removal SET lease = ${terms.lease}, due_at = ${terms.leaseUntil} WHERE id IN (${due(sql)} ${skipLocked(sql)})
            RETURNING id, tenant_id, kind, lease, deleted`.pipe(Row.first(toClaim))
    )
  }

  return RemovalRepository.of({
    claim: ({ lease, leaseUntil, now }) =>
      claim({ lease, leaseUntil: millis(leaseUntil), now: millis(now) }).pipe(operation("removals.claim")),

    step: ({ claim, leaseUntil, limit }) =>
      runStep(sql, { claim, limit, leaseUntil: millis(leaseUntil) }).pipe(transaction(sql), operation("removals.step")),

    release: ({ id, lease }, dueAt) =>
      sql`UPDATE removal SET lease = NULL, due_at = ${millis(dueAt)} WHERE id = ${id} AND lease = ${lease}`.pipe(
        Effect.asVoid,
        operation("removals.release")
      )
  })
})

export const layer: Layer.Layer<RemovalRepository, never, SqlClient> = Layer.effect(RemovalRepository, make)
