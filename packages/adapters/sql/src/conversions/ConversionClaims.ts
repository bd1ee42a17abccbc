/**
 * Claims of conversions: what a worker does with the one that it has.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type ConversionClaim, ClaimLost } from "@holdfast/core/conversions/ConversionClaim"
import type { ConversionFault } from "@holdfast/core/conversions/StreamRecord"
import { inBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { transaction } from "../Transaction.ts"
import { toClaim } from "./ConversionRow.ts"
import { dropFiles } from "./StreamRows.ts"

/** Whether the content is still a file's; once replaced or removed it is only kept for readers that began before. */
export const isCurrent = (sql: SqlClient): Fragment =>
  sql.literal(`EXISTS (SELECT 1 FROM blob WHERE blob.id = conversion.blob_id AND blob.state = 'READY')`)

/** The conversion while a claim of it stands. */
export const held = (sql: SqlClient, claim: ConversionClaim): Fragment =>
  sql`id = ${claim.conversionId} AND ${inBucket(sql, claim)} AND state = 'RUNNING' AND attempt = ${claim.attempt}
    AND ${isCurrent(sql)}`

/** Fails where a conditional change met no row. */
export const orLost = <E, R>(changed: Effect.Effect<ReadonlyArray<Row.Row>, E, R>) =>
  Effect.flatMap(changed, (rows) => (rows.length === 0 ? Effect.fail(new ClaimLost()) : Effect.void))

const due = (sql: SqlClient, at: number) => sql`SELECT id FROM conversion
  WHERE due_at <= ${at} AND ${isCurrent(sql)} AND (format = 'hls' OR NOT EXISTS (
    SELECT 1 FROM conversion AS other WHERE other.blob_id = conversion.blob_id AND other.format = 'hls'
      AND other.state IN ('QUEUED', 'RUNNING')))
  ORDER BY due_at, id LIMIT 1`

/** The look comes first, since there is mostly nothing to do, and a transaction on SQLite keeps every writer out. */
export const take = Effect.fnUntraced(function* (sql: SqlClient, at: number, leaseUntil: number, sweepAt: number) {
  if ((yield* due(sql, at)).length === 0) return Option.none<ConversionClaim>()
  return yield* Effect.gen(function* () {
    const locked = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" }))
    const claimed = yield* sql`UPDATE conversion SET state = 'RUNNING', attempt = attempt + 1, tries = tries + 1,
        due_at = ${leaseUntil}, progress = 0, presentation = NULL, started_at = ${at}
      WHERE id IN (${due(sql, at)} ${locked})
      RETURNING id, tenant_id, bucket_id, file_id, blob_id, attempt, tries, format, mode`.pipe(Row.first(toClaim))
    if (Option.isSome(claimed)) yield* dropFiles(sql, [claimed.value.conversionId], sweepAt)
    return claimed
  }).pipe(transaction(sql))
})

export const renew = (sql: SqlClient, claim: ConversionClaim, leaseUntil: number) =>
  orLost(sql`UPDATE conversion SET due_at = ${leaseUntil} WHERE ${held(sql, claim)} RETURNING id`)

export const expire = (sql: SqlClient, at: number) =>
  Effect.map(
    sql`UPDATE conversion SET due_at = ${at} WHERE state = 'RUNNING' AND due_at > ${at} RETURNING id`,
    (rows) => rows.length
  )

export const fail = (sql: SqlClient, claim: ConversionClaim, fault: ConversionFault, at: number, sweepAt: number) =>
  orLost(sql`UPDATE conversion SET state = 'FAILED', due_at = NULL, finished_at = ${at},
      fault_code = ${fault.code}, fault_detail = ${fault.detail}
    WHERE ${held(sql, claim)} RETURNING id`).pipe(
    Effect.andThen(dropFiles(sql, [claim.conversionId], sweepAt)),
    transaction(sql)
  )

export const release = (sql: SqlClient, claim: ConversionClaim, retryAt: number, counted: boolean, sweepAt: number) =>
  orLost(sql`UPDATE conversion SET state = 'QUEUED', due_at = ${retryAt}, progress = 0, presentation = NULL,
      started_at = NULL, tries = tries - ${counted ? 0 : 1}
    WHERE ${held(sql, claim)} RETURNING id`).pipe(
    Effect.andThen(dropFiles(sql, [claim.conversionId], sweepAt)),
    transaction(sql)
  )
