/**
 * The statements of a reconciliation.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { TargetObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { ReconciliationLease } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { among, millis } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../../Transaction.ts"
import { recordset } from "../MirrorRow.ts"
import { markPending } from "./MirrorTasks.ts"

const isAny = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0

const toOwner = (row: Row.Row) => ({ mirrorId: Row.text(row, "mirror_id"), fileId: Row.text(row, "file_id") })

/** Takes the lease. Returns whether it was free, and a reconciliation requested. */
export const claim = (sql: SqlClient, { lease, mirrorId, startedAt }: ReconciliationLease, leaseUntil: number) =>
  sql`UPDATE mirror SET sync_lease = ${lease}, sync_until = ${leaseUntil}, filling = 1, fill_path = '', fill_name = ''
    WHERE id = ${mirrorId} AND removed = 0 AND sync_wanted > sync_done
      AND (sync_lease IS NULL OR sync_until <= ${millis(startedAt)}) RETURNING id`.pipe(Effect.map(isAny))

const isHeld = (sql: SqlClient, { lease, mirrorId }: ReconciliationLease) =>
  sql`id = ${mirrorId} AND sync_lease = ${lease}`

/** Renews the lease. Returns whether it was still held. */
export const renew = (sql: SqlClient, reconciliation: ReconciliationLease, leaseUntil: number) =>
  sql`UPDATE mirror SET sync_until = ${leaseUntil} WHERE ${isHeld(sql, reconciliation)} RETURNING id`.pipe(
    Effect.map(isAny)
  )

/** Skips objects whose bytes are unknown: their owners are pending already. */
export const compare = (
  sql: SqlClient,
  { lease, mirrorId }: ReconciliationLease,
  objects: ReadonlyArray<TargetObject>,
  now: number
) =>
  Effect.gen(function* () {
    const rows = [
      ...new Map(
        objects.map(({ lastModified, name, size, tag }) => [
          name,
          { mirror: mirrorId, name, size, tag, last_modified: lastModified ?? null }
        ])
      ).values()
    ]
    const fields = { mirror: "text", name: "text", size: "bigint", tag: "text", last_modified: "bigint" } as const
    const listed = recordset(sql, "a", fields, rows)
    const compared = yield* sql`UPDATE mirror_object AS o SET seen = ${lease},
        sha256 = CASE WHEN o.tag = a.tag AND o.size = a.size
          AND (o.last_modified IS NULL OR a.last_modified IS NULL OR a.last_modified <= o.last_modified)
        THEN o.sha256 ELSE NULL END
      FROM ${listed} WHERE o.mirror_id = a.mirror AND o.name = a.name AND o.sha256 IS NOT NULL
      RETURNING mirror_id, file_id, sha256`
    const changed = yield* Row.all(toOwner)(Effect.succeed(compared.filter((row) => row.sha256 === null)))
    yield* markPending(sql, changed, now)
  }).pipe(transaction(sql))

export const findOwnNames = (sql: SqlClient, mirrorId: string, names: ReadonlyArray<string>) =>
  sql`SELECT name FROM mirror_object WHERE mirror_id = ${mirrorId} AND ${among(sql, "name", names)}`.pipe(
    Row.all((row) => Row.text(row, "name"))
  )

/**
 * Makes the owners of missing objects pending. Not those of objects that were written since the reconciliation began: the listing
 * may have passed their names before.
 */
const markMissing = Effect.fnUntraced(function* (
  sql: SqlClient,
  { lease, mirrorId, startedAt }: ReconciliationLease,
  now: number
) {
  while (true) {
    const missing = yield* sql`UPDATE mirror_object SET sha256 = NULL
      WHERE mirror_id = ${mirrorId} AND name IN (
        SELECT name FROM mirror_object WHERE mirror_id = ${mirrorId} AND sha256 IS NOT NULL
          AND (seen IS NULL OR seen <> ${lease}) AND written_at < ${millis(startedAt)} LIMIT 1000)
      RETURNING mirror_id, file_id`.pipe(Row.all(toOwner))
    if (missing.length === 0) return
    yield* markPending(sql, missing, now)
  }
})

/** Ends the lease. A reconciliation that was requested again since the claim remains requested. */
export const complete = (sql: SqlClient, reconciliation: ReconciliationLease, isComplete: boolean, now: number) =>
  Effect.gen(function* () {
    const done = sql.literal(isComplete ? "sync_done + 1" : "sync_done")
    const ended = yield* sql`UPDATE mirror SET sync_lease = NULL, sync_done = ${done}
      WHERE ${isHeld(sql, reconciliation)} RETURNING id`
    if (isComplete && isAny(ended)) yield* markMissing(sql, reconciliation, now)
  }).pipe(transaction(sql))
