/**
 * The statements of a reconciliation.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { TargetObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { ReconciliationLease } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { among, lock, millis } from "../../Dialect.ts"
import { hasCome } from "../../HasCome.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../../Transaction.ts"
import * as Filling from "../Filling.ts"
import { recordset } from "../MirrorRow.ts"
import { markPending } from "./MirrorTasks.ts"

const isAny = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0

const toOwner = (row: Row.Row) => ({ mirrorId: Row.text(row, "mirror_id"), fileId: Row.text(row, "file_id") })

/**
 * Takes the lease. Returns whether it was free, and a reconciliation requested. Tasks are created from the first file on, unless
 * those of the first time are still being created.
 */
export const claim = (sql: SqlClient, { lease, mirrorId, startedAt }: ReconciliationLease, leaseUntil: number) =>
  sql`UPDATE mirror SET sync_lease = ${lease}, sync_until = ${leaseUntil},
      fill_path = CASE WHEN filling = ${Filling.initial} THEN fill_path ELSE '' END,
      fill_name = CASE WHEN filling = ${Filling.initial} THEN fill_name ELSE '' END,
      filling = CASE WHEN filling = ${Filling.initial} THEN filling ELSE ${Filling.again} END
    WHERE id = ${mirrorId} AND removed = 0 AND sync_wanted > sync_done
      AND (sync_lease IS NULL OR ${hasCome(sql, "sync_until", millis(startedAt))}) RETURNING id`.pipe(Effect.map(isAny))

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

/** A part of the written objects, by their names. */
interface MissingBatch {
  readonly after: string | null
  readonly limit: number
}

/**
 * As `MirrorTaskRepository.markMissing`. Skips objects that were written since the reconciliation began: the listing may have
 * passed their names before. The lease is locked, so that no other reconciliation begins meanwhile.
 */
export const markMissing = (
  sql: SqlClient,
  reconciliation: ReconciliationLease,
  { after, limit }: MissingBatch,
  now: number
) =>
  Effect.gen(function* () {
    const { lease, mirrorId, startedAt } = reconciliation
    const held =
      yield* sql`SELECT id FROM mirror WHERE ${isHeld(sql, reconciliation)} ${lock(sql, "FOR NO KEY UPDATE")}`
    if (held.length === 0) return null
    const isBeyond = sql`mirror_id = ${mirrorId} AND name > ${after ?? ""}`
    const [last] = yield* sql`SELECT name FROM mirror_object WHERE ${isBeyond}
      ORDER BY name LIMIT 1 OFFSET ${limit - 1}`.pipe(Row.all((row) => Row.text(row, "name")))
    const until = last === undefined ? sql.literal("") : sql`AND name <= ${last}`
    const missing = yield* sql`UPDATE mirror_object SET sha256 = NULL
      WHERE ${isBeyond} ${until} AND sha256 IS NOT NULL
        AND (seen IS NULL OR seen <> ${lease}) AND written_at < ${millis(startedAt)}
      RETURNING mirror_id, file_id`.pipe(Row.all(toOwner))
    yield* markPending(sql, missing, now)
    return last ?? null
  }).pipe(transaction(sql))

/** Ends the lease. A reconciliation that was requested again since the claim remains requested. */
export const complete = (sql: SqlClient, reconciliation: ReconciliationLease, isComplete: boolean) =>
  sql`UPDATE mirror SET sync_lease = NULL, sync_done = ${sql.literal(isComplete ? "sync_done + 1" : "sync_done")}
    WHERE ${isHeld(sql, reconciliation)}`.pipe(Effect.asVoid)
