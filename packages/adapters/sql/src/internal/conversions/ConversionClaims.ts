/**
 * Claims of conversions, and what a worker writes while it holds the lease of one.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type ConversionClaim, LeaseLost } from "@holdfast/core/conversions/ConversionClaim"
import type {
  AddedTo,
  ClaimTerms,
  ConversionFailure,
  ReleaseTerms
} from "@holdfast/core/conversions/ConversionRepository"
import type { PageRead } from "../../Reads.ts"
import { lock, millis, skipLocked } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"
import { conversionEvent } from "./ConversionEvents.ts"
import { completeInheritance, dropRest, dropSome, ofConversions, ofLadder } from "./ConversionFiles.ts"
import { claimColumns, toClaim, toStoredProgress } from "./ConversionRow.ts"
import { columnsOf, isCurrent, isWaitingForHls, nextConversion, type Queue } from "./NextConversion.ts"
import { waitingTenants } from "./WaitingTenants.ts"

/** Returns the queue from which a claim was taken. */
export const queueOf = ({ isLadder }: ConversionClaim): Queue => (isLadder ? "ladder" : "conversion")

/** Condition: the row is the claimed conversion, and the worker still holds its lease. */
export const isHeld = (sql: SqlClient, claim: ConversionClaim): Fragment =>
  sql`id = ${claim.conversionId} AND ${inBucket(sql, claim)} AND ${columnsOf(sql, queueOf(claim)).state} = 'RUNNING'
    AND attempt = ${claim.fencingToken} AND ${isCurrent(sql)}`

/**
 * Condition: the row is the conversion, it is READY, and its content is the current one of its file. A claim must have made it READY
 * itself. The token of the row may be that of a later claim of its ladder.
 */
export const isMade = (sql: SqlClient, conversion: ConversionClaim | AddedTo): Fragment => {
  const isOwn =
    "fencingToken" in conversion
      ? sql`COALESCE(made_by, ${conversion.fencingToken}) = ${conversion.fencingToken}`
      : sql`1 = 1`
  return sql`id = ${conversion.conversionId} AND ${inBucket(sql, conversion)} AND state = 'READY' AND ${isOwn}
    AND ${isCurrent(sql)}`
}

/** Fails with `LeaseLost` if a conditional change returned no row. */
export const orLeaseLost = Row.orFail(() => new LeaseLost())

/** Statements of one search that visit tenants. */
const maxVisits = 20

/** Searches for a conversion in a row, each after another worker claimed the one that was found. */
const maxSearches = 20

/** Condition: the files that a claim has published, or that are to be removed when it begins. */
const filesOf = (
  sql: SqlClient,
  { conversionId, isLadder }: Pick<ConversionClaim, "conversionId" | "isLadder">
): Fragment => (isLadder ? ofLadder(sql, conversionId) : ofConversions(sql, [conversionId]))

/**
 * Runs a transaction that begins a claim, or releases that of another worker, and removes what an earlier one has published: some files in
 * it, the others after it.
 */
const claimAndDrop = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  sweepAt: DateTime.Utc,
  claim: Effect.Effect<Option.Option<ConversionClaim>, E>
) {
  const { claimed, hasMore } = yield* Effect.gen(function* () {
    const claimed = yield* claim
    const hasMore = Option.isSome(claimed) && (yield* dropSome(sql, filesOf(sql, claimed.value), millis(sweepAt)))
    return { claimed, hasMore }
  }).pipe(transaction(sql))
  if (hasMore && Option.isSome(claimed)) {
    yield* dropRest(sql, claimed.value, filesOf(sql, claimed.value), millis(sweepAt))
  }
  return claimed
})

/** Runs a transaction that ends a claim, and removes what it has published: some files in it, the others after it. */
const endAndDrop = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  claim: ConversionClaim,
  sweepAt: DateTime.Utc,
  end: Effect.Effect<unknown, E>
) {
  const files = filesOf(sql, claim)
  const hasMore = yield* transaction(sql)(Effect.andThen(end, dropSome(sql, files, millis(sweepAt))))
  if (hasMore) yield* dropRest(sql, claim, files, millis(sweepAt))
})

/**
 * Claims a conversion if it is still due. A claim removes what an earlier one published. A conversion that is still RUNNING has lost
 * its worker: the claim continues its attempt, and counts an interruption.
 */
const claimFound = (sql: SqlClient, id: string, { sweepAt, leaseUntil, now }: ClaimTerms) =>
  Effect.gen(function* () {
    const found = yield* sql`SELECT state FROM conversion WHERE id = ${id} ${lock(sql, "FOR NO KEY UPDATE")}`
    const takesOver = found[0]?.["state"] === "RUNNING"
    return yield* sql`UPDATE conversion SET state = 'RUNNING', attempt = attempt + 1,
        tries = tries + ${takesOver ? 0 : 1}, interruptions = interruptions + ${takesOver ? 1 : 0},
        due_at = ${millis(leaseUntil)}, progress = 0, presentation = NULL, started_at = ${millis(now)}
      WHERE id = ${id} AND due_at <= ${millis(now)} AND ${isCurrent(sql)} AND NOT ${isWaitingForHls(sql)}
      RETURNING ${sql.literal(claimColumns)}`.pipe(
      Row.first((row): ConversionClaim => ({ ...toClaim(row), isLadder: false, takesOver }))
    )
  }).pipe((claim) => claimAndDrop(sql, sweepAt, claim))

/** Claims the ladder of a copy likewise. What an earlier claim published of it is removed; the copy stays as it is. */
const claimLadder = (sql: SqlClient, id: string, { leaseUntil, now, sweepAt }: ClaimTerms) =>
  Effect.gen(function* () {
    const found = yield* sql`SELECT ladder_state FROM conversion WHERE id = ${id} ${lock(sql, "FOR NO KEY UPDATE")}`
    const takesOver = found[0]?.["ladder_state"] === "RUNNING"
    return yield* sql`UPDATE conversion SET ladder_state = 'RUNNING', attempt = attempt + 1,
        tries = tries + ${takesOver ? 0 : 1}, interruptions = interruptions + ${takesOver ? 1 : 0},
        ladder_due_at = ${millis(leaseUntil)}
      WHERE id = ${id} AND state = 'READY' AND ladder_due_at <= ${millis(now)} AND ${isCurrent(sql)}
      RETURNING ${sql.literal(claimColumns)}`.pipe(
      Row.first((row): ConversionClaim => ({ ...toClaim(row), isLadder: true, takesOver }))
    )
  }).pipe((claim) => claimAndDrop(sql, sweepAt, claim))

/**
 * Returns the function that claims from a queue: a due conversion of the tenant with the fewest running conversions, and of this
 * tenant the one that has waited longest. It searches before it begins a transaction: mostly no conversion is due, and a
 * transaction on SQLite blocks all writers.
 */
const claimFrom = (queue: Queue, sql: SqlClient, poll: PageRead) => {
  // Where the next search begins. A search visits all tenants, unless there are very many, and ends with the first success.
  let after = ""
  const search = Effect.fnUntraced(function* (terms: ClaimTerms) {
    const dueBy = millis(terms.dueBy ?? terms.now)
    let isWhole = after === ""
    for (let visit = 0; visit < maxVisits; visit++) {
      const { next, tenantIds } = yield* poll((client) =>
        waitingTenants(client, { queue, after, dueBy, now: millis(terms.now) })
      )
      after = next
      for (const tenantId of tenantIds) {
        if (terms.exceptTenants?.includes(tenantId) === true) continue
        const found = yield* nextConversion(sql, queue, tenantId, dueBy)
        if (Option.isSome(found)) return found
      }
      if (next !== "") continue
      if (isWhole) break
      isWhole = true
    }
    return Option.none<string>()
  })
  return Effect.fnUntraced(function* (terms: ClaimTerms) {
    if (terms.conversionId !== undefined) return yield* claimFound(sql, terms.conversionId, terms)
    for (let count = 0; count < maxSearches; count++) {
      const found = yield* search(terms)
      if (Option.isNone(found)) break
      // The files of one that inherits them must not join those of its claim.
      if (queue === "ladder") yield* completeInheritance(sql, found.value)
      const claimed = yield* (queue === "ladder" ? claimLadder : claimFound)(sql, found.value, terms)
      if (Option.isSome(claimed)) return claimed
    }
    return Option.none<ConversionClaim>()
  })
}

/** Returns the function that claims a due conversion or, if the terms permit it and no conversion is due, a ladder. */
export const makeClaim = (sql: SqlClient, poll: PageRead) => {
  const [claimConversion, claimAnyLadder] = [claimFrom("conversion", sql, poll), claimFrom("ladder", sql, poll)]
  return Effect.fnUntraced(function* (terms: ClaimTerms) {
    const claimed = yield* claimConversion(terms)
    return Option.isNone(claimed) && terms.ladders === true ? yield* claimAnyLadder(terms) : claimed
  })
}

/** Renews a lease. */
export const renew = (sql: SqlClient, claim: ConversionClaim, leaseUntil: DateTime.Utc) =>
  orLeaseLost(
    sql`UPDATE conversion SET ${columnsOf(sql, queueOf(claim)).dueAt} = ${millis(leaseUntil)} WHERE ${isHeld(sql, claim)} RETURNING id`
  )

/** Expires all leases. Returns their number. */
export const expireLeases = Effect.fnUntraced(function* (sql: SqlClient, at: DateTime.Utc) {
  const now = millis(at)
  const conversions = yield* sql`UPDATE conversion SET due_at = ${now}
    WHERE state = 'RUNNING' AND due_at > ${now} RETURNING id`
  const ladders = yield* sql`UPDATE conversion SET ladder_due_at = ${now}
    WHERE ladder_due_at > ${now} AND ladder_state = 'RUNNING' RETURNING id`
  const pictures = yield* sql`UPDATE conversion SET poster_due = ${now} WHERE poster_due > ${now} RETURNING id`
  return conversions.length + ladders.length + pictures.length
})

/** Ends the claim of a ladder: with one that is due again, or without one. The copy stays READY. */
const endLadder = (
  sql: SqlClient,
  claim: ConversionClaim,
  { countAttempt, dueAt, sweepAt }: { dueAt: number | null; countAttempt: boolean; sweepAt: DateTime.Utc }
) =>
  orLeaseLost(sql`UPDATE conversion SET ladder_state = ${dueAt === null ? null : "QUEUED"}, ladder_due_at = ${dueAt},
      tries = tries - ${countAttempt ? 0 : 1}
    WHERE ${isHeld(sql, claim)} RETURNING id`).pipe((end) => endAndDrop(sql, claim, sweepAt, end))

/** Ends a claim with a FAILED conversion. */
const failConversion = (sql: SqlClient, claim: ConversionClaim, { sweepAt, fault, now }: ConversionFailure) =>
  orLeaseLost(sql`UPDATE conversion SET state = 'FAILED', due_at = NULL, finished_at = ${millis(now)},
      fault_code = ${fault.code}, fault_detail = ${fault.detail}
    WHERE ${isHeld(sql, claim)} RETURNING id`).pipe(
    Effect.andThen(record(sql, conversionEvent("stream.failed", claim, { code: fault.code }))),
    (end) => endAndDrop(sql, claim, sweepAt, end)
  )

/** Ends a claim with a FAILED conversion, or without a ladder. */
export const fail = (sql: SqlClient, claim: ConversionClaim, failure: ConversionFailure) =>
  claim.isLadder
    ? endLadder(sql, claim, { dueAt: null, countAttempt: true, sweepAt: failure.sweepAt })
    : failConversion(sql, claim, failure)

/** Assignments: the conversion is QUEUED again. */
const queued = (sql: SqlClient, { countAttempt, retryAt }: Pick<ReleaseTerms, "countAttempt" | "retryAt">): Fragment =>
  sql`state = 'QUEUED', due_at = ${millis(retryAt)}, progress = 0, presentation = NULL, started_at = NULL,
    tries = tries - ${countAttempt ? 0 : 1}`

const releaseConversion = (sql: SqlClient, claim: ConversionClaim, terms: ReleaseTerms) =>
  orLeaseLost(sql`UPDATE conversion SET ${queued(sql, terms)}, mode = ${terms.mode ?? claim.mode}
    WHERE ${isHeld(sql, claim)} RETURNING id`).pipe((end) => endAndDrop(sql, claim, terms.sweepAt, end))

/** Ends a claim with a QUEUED conversion, or a ladder that is due again. */
export const release = (sql: SqlClient, claim: ConversionClaim, terms: ReleaseTerms) =>
  claim.isLadder
    ? endLadder(sql, claim, { ...terms, dueAt: millis(terms.retryAt) })
    : releaseConversion(sql, claim, terms)

/** The part of a conversion from which on its rest takes less time than another one from the beginning. */
const half = 0.5

/** Releases the running conversion of the claimed content to DASH. Skips one that its worker is just writing. */
export const releaseDash = Effect.fnUntraced(function* (
  sql: SqlClient,
  claim: ConversionClaim,
  { now, sweepAt }: Pick<ConversionFailure, "now" | "sweepAt">
) {
  if (claim.format !== "hls") return
  const mayBeMade = claim.mode === "transcode" ? sql`1 = 1` : sql`mode <> 'transcode'`
  const running = sql`SELECT id FROM conversion WHERE blob_id = ${claim.blobId} AND ${inBucket(sql, claim)}
      AND format = 'dash' AND state = 'RUNNING' AND due_at > ${millis(now)} AND progress < ${toStoredProgress(half)} AND ${mayBeMade}
      ${skipLocked(sql)}`
  const release = sql`UPDATE conversion SET ${queued(sql, { countAttempt: false, retryAt: now })}
      WHERE id IN (${running}) AND EXISTS (SELECT 1 FROM conversion WHERE ${isHeld(sql, claim)})
      RETURNING ${sql.literal(claimColumns)}`.pipe(
    Row.first((row): ConversionClaim => ({ ...toClaim(row), isLadder: false, takesOver: false }))
  )
  yield* claimAndDrop(sql, sweepAt, release)
})
