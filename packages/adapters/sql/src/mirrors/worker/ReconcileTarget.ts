/**
 * Comparisons of a target with what was written there.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { TargetObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { ReconciliationLease } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { among, millis } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../Transaction.ts"
import { recordset } from "../MirrorRow.ts"
import { bump } from "./MirrorTasks.ts"

const isThere = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0

const toOwner = (row: Row.Row) => ({ mirrorId: Row.text(row, "mirror_id"), fileId: Row.text(row, "file_id") })

export const begin = (sql: SqlClient, { lease, mirrorId, startedAt }: ReconciliationLease, until: number) =>
  sql`UPDATE mirror SET sync_lease = ${lease}, sync_until = ${until}, filling = 1, fill_path = '', fill_name = ''
    WHERE id = ${mirrorId} AND removed = 0 AND sync_wanted > sync_done
      AND (sync_lease IS NULL OR sync_until <= ${millis(startedAt)}) RETURNING id`.pipe(Effect.map(isThere))

const standing = (sql: SqlClient, { lease, mirrorId }: ReconciliationLease) =>
  sql`id = ${mirrorId} AND sync_lease = ${lease}`

export const renew = (sql: SqlClient, sync: ReconciliationLease, until: number) =>
  sql`UPDATE mirror SET sync_until = ${until} WHERE ${standing(sql, sync)} RETURNING id`.pipe(Effect.map(isThere))

/** Objects that are in doubt are not compared: whoever has them is pending already. */
export const compare = (
  sql: SqlClient,
  { lease, mirrorId }: ReconciliationLease,
  objects: ReadonlyArray<TargetObject>,
  at: number
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
    const changed = yield* sql`UPDATE mirror_object AS o SET seen = ${lease},
        sha256 = CASE WHEN o.tag = a.tag AND o.size = a.size
          AND (o.last_modified IS NULL OR a.last_modified IS NULL OR a.last_modified <= o.last_modified)
        THEN o.sha256 ELSE NULL END
      FROM ${listed} WHERE o.mirror_id = a.mirror AND o.name = a.name AND o.sha256 IS NOT NULL
      RETURNING mirror_id, file_id, sha256`
    const differing = yield* Row.all(toOwner)(Effect.succeed(changed.filter((row) => row.sha256 === null)))
    yield* bump(sql, differing, at)
  }).pipe(transaction(sql))

export const findOwnNames = (sql: SqlClient, mirrorId: string, names: ReadonlyArray<string>) =>
  sql`SELECT name FROM mirror_object WHERE mirror_id = ${mirrorId} AND ${among(sql, "name", names)}`.pipe(
    Row.all((row) => Row.text(row, "name"))
  )

/** What was written since the comparison began may have been listed before. */
const missing = Effect.fnUntraced(function* (
  sql: SqlClient,
  { lease, mirrorId, startedAt }: ReconciliationLease,
  at: number
) {
  while (true) {
    const lacking = yield* sql`UPDATE mirror_object SET sha256 = NULL
      WHERE mirror_id = ${mirrorId} AND name IN (
        SELECT name FROM mirror_object WHERE mirror_id = ${mirrorId} AND sha256 IS NOT NULL
          AND (seen IS NULL OR seen <> ${lease}) AND written_at < ${millis(startedAt)} LIMIT 1000)
      RETURNING mirror_id, file_id`.pipe(Row.all(toOwner))
    if (lacking.length === 0) return
    yield* bump(sql, lacking, at)
  }
})

export const end = (sql: SqlClient, sync: ReconciliationLease, isComplete: boolean, at: number) =>
  Effect.gen(function* () {
    // Asked for again meanwhile, it begins anew.
    const done = sql.literal(isComplete ? "sync_done + 1" : "sync_done")
    const ended = yield* sql`UPDATE mirror SET sync_lease = NULL, sync_done = ${done}
      WHERE ${standing(sql, sync)} RETURNING id`
    if (isComplete && isThere(ended)) yield* missing(sql, sync, at)
  }).pipe(transaction(sql))
