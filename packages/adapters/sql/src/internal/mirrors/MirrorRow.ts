/**
 * Rows of mirrors, and SQL that statements of mirrors share.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as TargetTypes from "@holdfast/core/mirrors/targets/types/TargetTypes"
import type { StoredMirror } from "@holdfast/core/mirrors/StoredMirror"
import * as Creators from "../members/Creators.ts"
import * as Row from "../Row.ts"
import { RowFault } from "../../SqlFailure.ts"

/** The columns that `toMirror` reads. Qualified by the table, because statements select them beside other columns. */
export const columns = `mirror.id, mirror.tenant_id, mirror.bucket_id, mirror.name, mirror.place, mirror.secret,
  mirror.revision, mirror.paused, mirror.failures, mirror.failing_since, mirror.last_error, mirror.created_by,
  mirror.created_with, mirror.created_at, mirror.updated_at`

/** Returns the text of the column `place`. */
export const encodePlace = (address: TargetTypes.TargetAddress): string =>
  JSON.stringify(TargetTypes.encodeAddress(address))

const toAddress = (row: Row.Row): TargetTypes.TargetAddress => {
  const address = TargetTypes.decodeAddress(JSON.parse(Row.text(row, "place")))
  if (address === undefined) throw new RowFault({ column: "place" })
  return address
}

/** Reads a boolean, which is stored as 0 or 1. */
export const flag = (row: Row.Row, column: string): boolean => Row.int(row, column) === 1

export const toMirror: Row.FromRow<StoredMirror> = (row) => ({
  id: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.text(row, "bucket_id"),
  name: Row.text(row, "name"),
  address: toAddress(row),
  secret: Row.text(row, "secret"),
  revision: Row.int(row, "revision"),
  paused: flag(row, "paused"),
  failures: Row.int(row, "failures"),
  failure:
    row.failing_since === null
      ? null
      : { since: Row.instant(row, "failing_since"), detail: Row.orNull(Row.text, row, "last_error") ?? "" },
  createdBy: Creators.read(row),
  createdAt: Row.instant(row, "created_at"),
  updatedAt: Row.instant(row, "updated_at")
})

/** Returns rows as a table of a query: one JSON parameter, read as `alias (column type, …)` with texts and bigints. */
export const recordset = (
  sql: SqlClient,
  alias: string,
  fields: Readonly<Record<string, "text" | "bigint">>,
  rows: ReadonlyArray<Readonly<Record<string, string | number | null>>>
): Fragment => {
  const json = JSON.stringify(rows)
  const names = Object.keys(fields)
  return sql.onDialectOrElse({
    pg: () =>
      sql`jsonb_to_recordset(CAST(${json} AS jsonb)) AS ${sql.literal(
        `${alias} (${names.map((name) => `${name} ${fields[name]}`).join(", ")})`
      )}`,
    orElse: () =>
      sql`(SELECT ${sql.literal(names.map((name) => `value ->> '${name}' AS ${name}`).join(", "))}
        FROM json_each(${json})) AS ${sql.literal(alias)}`
  })
}

/**
 * Waits for every transaction that writes files of a bucket and may not see its mirrors as they are now. No further one begins
 * until this transaction ends.
 */
export const lockWriters = (sql: SqlClient, bucketId: Fragment) =>
  sql.onDialectOrElse({
    pg: () => sql`SELECT pg_advisory_xact_lock(hashtextextended('mirror ' || ${bucketId}, 0))`,
    orElse: () => sql`SELECT 1`
  })
