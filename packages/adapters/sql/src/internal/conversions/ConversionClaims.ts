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
import type { PageRead } from "../../Reads.ts"
import { lock, millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"
import { conversionEvent } from "./ConversionEvents.ts"
import { dropFiles } from "./ConversionFiles.ts"
import { toClaim } from "./ConversionRow.ts"
import { isCurrent, isWaitingForHls, nextConversion } from "./NextConversion.ts"
import { waitingTenants } from "./WaitingTenants.ts"

/** Condition: the row is the claimed conversion, and the worker still holds its lease. */
export const isHeld = (sql: SqlClient, claim: ConversionClaim): Fragment =>
  sql`id = ${claim.conversionId} AND ${inBucket(sql, claim)} AND state = 'RUNNING' AND attempt = ${claim.fencingToken}
    AND ${isCurrent(sql)}`

/** Fails with `LeaseLost` if a conditional change returned no row. */
export const orLeaseLost = Row.orFail(() => new LeaseLost())

/** Statements of one search that visit tenants. */
const maxVisits = 20

/** Searches for a conversion in a row, each after another worker claimed the one that was found. */
const maxSearches = 20

/**
 * Claims a conversion if it is still due. A claim removes what an earlier one published. A conversion that is still RUNNING has lost
 * its worker: the claim continues its attempt, and counts an interruption.
 */
const claimFound = (sql: SqlClient, id: string, { sweepAt, leaseUntil, now }: ClaimTerms) =>
  Effect.gen(function* () {
    const found = yield* sql`SELECT state FROM conversion WHERE id = ${id} ${lock(sql, "FOR NO KEY UPDATE")}`
    const takesOver = found[0]?.["state"] === "RUNNING"
    const claimed = yield* sql`UPDATE conversion SET state = 'RUNNING', attempt = attempt + 1,
        tries = tries + ${takesOver ? 0 : 1}, interruptions = interruptions + ${takesOver ? 1 : 0},
        due_at = ${millis(leaseUntil)}, progress = 0, presentation = NULL, started_at = ${millis(now)}
      WHERE id = ${id} AND due_at <= ${millis(now)} AND ${isCurrent(sql)} AND NOT ${isWaitingForHls(sql)}
      RETURNING id, tenant_id, bucket_id, file_id, blob_id, attempt, tries, interruptions, format, mode`.pipe(
      Row.first((row): ConversionClaim => ({ ...toClaim(row), takesOver }))
    )
    if (Option.isSome(claimed)) yield* dropFiles(sql, [claimed.value.conversionId], millis(sweepAt))
    return claimed
  }).pipe(transaction(sql))

/**
 * Returns the function that claims a due conversion: one of the tenant with the fewest running conversions, and of this
 * tenant the one that has waited longest. It searches before it begins a transaction: mostly no conversion is due, and a
 * transaction on SQLite blocks all writers.
 */
export const makeClaim = (sql: SqlClient, poll: PageRead) => {
  // Where the next search begins. A search visits all tenants, unless there are very many, and ends with the first success.
  let after = ""
  const search = Effect.fnUntraced(function* (terms: ClaimTerms) {
    const dueBy = millis(terms.dueBy ?? terms.now)
    let isWhole = after === ""
    for (let visit = 0; visit < maxVisits; visit++) {
      const { next, tenantIds } = yield* poll((client) =>
        waitingTenants(client, { after, dueBy, now: millis(terms.now) })
      )
      after = next
      for (const tenantId of tenantIds) {
        if (terms.exceptTenants?.includes(tenantId) === true) continue
        const found = yield* nextConversion(sql, tenantId, dueBy)
        if (Option.isSome(found)) return found
      }
      if (next !== "") continue
      if (isWhole) break
      isWhole = true
    }
    return Option.none<string>()
  })
  return Effect.fnUntraced(function* (terms: ClaimTerms) {
    for (let count = 0; count < maxSearches; count++) {
      const found = yield* search(terms)
      if (Option.isNone(found)) break
      const claimed = yield* claimFound(sql, found.value, terms)
      if (Option.isSome(claimed)) return claimed
    }
    return Option.none<ConversionClaim>()
  })
}

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
    Effect.andThen(record(sql, conversionEvent("stream.failed", claim, { code: fault.code }))),
    transaction(sql)
  )

/** Ends a claim with a QUEUED conversion. */
export const release = (
  sql: SqlClient,
  claim: ConversionClaim,
  { countAttempt, mode = claim.mode, sweepAt, retryAt }: ReleaseTerms
) =>
  orLeaseLost(sql`UPDATE conversion SET state = 'QUEUED', due_at = ${millis(retryAt)}, progress = 0, presentation = NULL,
      started_at = NULL, tries = tries - ${countAttempt ? 0 : 1}, mode = ${mode}
    WHERE ${isHeld(sql, claim)} RETURNING id`).pipe(
    Effect.andThen(dropFiles(sql, [claim.conversionId], millis(sweepAt))),
    transaction(sql)
  )
