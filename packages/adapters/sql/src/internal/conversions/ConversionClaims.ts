/**
 * Claims of conversions, and what a worker writes while it holds the lease of one.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type ConversionClaim, LeaseLost } from "@holdfast/core/conversions/ConversionClaim"
import type { ClaimTerms, ConversionFailure, ReleaseTerms } from "@holdfast/core/conversions/ConversionRepository"
import { millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"
import { dropFiles } from "./ConversionFiles.ts"
import { toClaim } from "./ConversionRow.ts"

/** Condition: the content is the current content of a file. A replaced or removed one is kept only for readers that began earlier. */
const isCurrent = (sql: SqlClient): Fragment =>
  sql.literal(`EXISTS (SELECT 1 FROM blob WHERE blob.id = conversion.blob_id AND blob.state = 'READY')`)

/** Condition: the row is the claimed conversion, and the worker still holds its lease. */
export const isHeld = (sql: SqlClient, claim: ConversionClaim): Fragment =>
  sql`id = ${claim.conversionId} AND ${inBucket(sql, claim)} AND state = 'RUNNING' AND attempt = ${claim.fencingToken}
    AND ${isCurrent(sql)}`

/** Fails with `LeaseLost` if a conditional change returned no row. */
export const orLeaseLost = <E, R>(changed: Effect.Effect<ReadonlyArray<Row.Row>, E, R>) =>
  Effect.flatMap(changed, (rows) => (rows.length === 0 ? Effect.fail(new LeaseLost()) : Effect.void))

const due = (sql: SqlClient, now: number) => sql`SELECT id FROM conversion
  WHERE due_at <= ${now} AND ${isCurrent(sql)} AND (format = 'hls' OR NOT EXISTS (
    SELECT 1 FROM conversion AS other WHERE other.blob_id = conversion.blob_id AND other.format = 'hls'
      AND other.state IN ('QUEUED', 'RUNNING')))
  ORDER BY due_at, id LIMIT 1`

/**
 * Claims a due conversion. Selects before it begins a transaction: mostly no conversion is due, and a transaction on SQLite
 * blocks all writers.
 */
export const claim = Effect.fnUntraced(function* (sql: SqlClient, { sweepAt, leaseUntil, ...terms }: ClaimTerms) {
  const now = millis(terms.now)
  if ((yield* due(sql, now)).length === 0) return Option.none<ConversionClaim>()
  return yield* Effect.gen(function* () {
    const lock = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" }))
    const claimed = yield* sql`UPDATE conversion SET state = 'RUNNING', attempt = attempt + 1, tries = tries + 1,
        due_at = ${millis(leaseUntil)}, progress = 0, presentation = NULL, started_at = ${now}
      WHERE id IN (${due(sql, now)} ${lock})
      RETURNING id, tenant_id, bucket_id, file_id, blob_id, attempt, tries, format, mode`.pipe(Row.first(toClaim))
    if (Option.isSome(claimed)) yield* dropFiles(sql, [claimed.value.conversionId], millis(sweepAt))
    return claimed
  }).pipe(transaction(sql))
})

/** Renews a lease. */
export const renew = (sql: SqlClient, claim: ConversionClaim, leaseUntil: DateTime.Utc) =>
  orLeaseLost(sql`UPDATE conversion SET due_at = ${millis(leaseUntil)} WHERE ${isHeld(sql, claim)} RETURNING id`)

/** Expires all leases. Returns their number. */
export const expireLeases = (sql: SqlClient, at: DateTime.Utc) => {
  const now = millis(at)
  return Effect.map(
    sql`UPDATE conversion SET due_at = ${now} WHERE state = 'RUNNING' AND due_at > ${now} RETURNING id`,
    (rows) => rows.length
  )
}

/** Ends a claim with a FAILED conversion. */
export const fail = (sql: SqlClient, claim: ConversionClaim, { sweepAt, fault, now }: ConversionFailure) =>
  orLeaseLost(sql`UPDATE conversion SET state = 'FAILED', due_at = NULL, finished_at = ${millis(now)},
      fault_code = ${fault.code}, fault_detail = ${fault.detail}
    WHERE ${isHeld(sql, claim)} RETURNING id`).pipe(
    Effect.andThen(dropFiles(sql, [claim.conversionId], millis(sweepAt))),
    transaction(sql)
  )

/** Ends a claim with a QUEUED conversion. */
export const release = (sql: SqlClient, claim: ConversionClaim, { countAttempt, sweepAt, retryAt }: ReleaseTerms) =>
  orLeaseLost(sql`UPDATE conversion SET state = 'QUEUED', due_at = ${millis(retryAt)}, progress = 0, presentation = NULL,
      started_at = NULL, tries = tries - ${countAttempt ? 0 : 1}
    WHERE ${isHeld(sql, claim)} RETURNING id`).pipe(
    Effect.andThen(dropFiles(sql, [claim.conversionId], millis(sweepAt))),
    transaction(sql)
  )
