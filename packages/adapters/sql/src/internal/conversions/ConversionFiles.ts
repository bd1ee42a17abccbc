/**
 * Removes the files of conversions and their blobs. A conversion has tens of thousands of them, so that each transaction removes a
 * bounded number.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import { among, lock } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"
import { never } from "./NextConversion.ts"

/** Files that one transaction removes: some 20 ms. */
const stepSize = 500

/** Condition: the files of these conversions. */
export const ofConversions = (sql: SqlClient, conversionIds: ReadonlyArray<string>): Fragment =>
  among(sql, "conversion_id", conversionIds)

/** Condition: the segments of a ladder, or of AV1. They are the only files of a READY presentation in directories that are named by lines. */
export const ofLadder = (sql: SqlClient, conversionId: string): Fragment =>
  sql`conversion_id = ${conversionId} AND blob_id IS NOT NULL AND name >= '0' AND name < ':'
    AND (name LIKE '%p/%' OR name LIKE '%p-av1/%')`

/**
 * Removes some files, in a transaction of its caller; the segments' blobs become DOOMED. Returns whether there may be more such files.
 */
export const dropSome = Effect.fnUntraced(function* (sql: SqlClient, files: Fragment, sweepAt: number) {
  const some = sql`FROM conversion_file WHERE ${files} LIMIT ${stepSize}`
  const dropped = yield* sql`DELETE FROM conversion_file WHERE ${sql.onDialectOrElse({
    pg: () => sql`ctid = ANY(ARRAY(SELECT ctid ${some}))`,
    orElse: () => sql`rowid IN (SELECT rowid ${some})`
  })} RETURNING blob_id`.pipe(Row.all((row) => Row.orNull(Row.text, row, "blob_id")))
  const blobIds = dropped.filter((blobId) => blobId !== null)
  if (blobIds.length > 0) {
    yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${sweepAt}
      WHERE ${among(sql, "id", blobIds)} AND state = 'READY'`
  }
  return dropped.length === stepSize
})

/** Repeats a step, each time in a transaction, until there is no more to do. */
const repeat = Effect.fnUntraced(function* <E, R>(sql: SqlClient, step: Effect.Effect<boolean, E, R>) {
  while (yield* transaction(sql)(step));
})

/**
 * Removes the files that the transaction which began or ended a claim has left, until another claim begins. What a process that dies
 * leaves is removed by the next claim, or with the conversion.
 */
export const dropRest = (
  sql: SqlClient,
  { conversionId, fencingToken }: Pick<ConversionClaim, "conversionId" | "fencingToken">,
  files: Fragment,
  sweepAt: number
) =>
  repeat(
    sql,
    Effect.gen(function* () {
      const own = yield* sql`SELECT id FROM conversion WHERE id = ${conversionId} AND attempt = ${fencingToken}
        ${lock(sql, "FOR NO KEY UPDATE")}`
      return own.length > 0 && (yield* dropSome(sql, files, sweepAt))
    })
  )

/** The content of a row is gone. */
const isGone = (sql: SqlClient, table: "captions" | "conversion" | "poster") =>
  sql`NOT EXISTS (SELECT 1 FROM blob WHERE blob.id = ${sql(table)}.blob_id AND blob.state = 'READY')`

/** Finds the conversion of a current content that shares the files of another one, and locks it. */
const findHeir = (sql: SqlClient, conversionId: string) =>
  sql`SELECT id FROM conversion WHERE shares_id = ${conversionId} AND NOT (${isGone(sql, "conversion")})
    ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(Row.first((row) => Row.text(row, "id")))

/**
 * Gives some files of a conversion to its heir, in a transaction of its caller. Until the last one is given, the heir has files at both.
 * Returns whether there may be more.
 */
const giveSome = Effect.fnUntraced(function* (sql: SqlClient, conversionId: string, heirId: string) {
  const given = yield* sql`UPDATE conversion_file SET conversion_id = ${heirId}
    WHERE conversion_id = ${conversionId} AND name IN (
      SELECT name FROM conversion_file WHERE conversion_id = ${conversionId} ORDER BY name LIMIT ${stepSize})
    RETURNING name`
  if (given.length === stepSize) return true
  yield* sql`UPDATE conversion SET shares_id = NULL WHERE id = ${heirId}`
  return false
})

/** Gives some files to an heir whose former owner is being removed. Returns whether there may be more. */
const inheritSome = Effect.fnUntraced(function* (sql: SqlClient, heirId: string) {
  const owner = yield* sql`SELECT shares_id FROM conversion
    WHERE id = ${heirId} AND shares_id IN (SELECT id FROM conversion WHERE state <> 'READY')
    ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(Row.first((row) => Row.text(row, "shares_id")))
  return Option.isSome(owner) && (yield* giveSome(sql, owner.value, heirId))
})

/**
 * Gives an heir the files that a removal has not given it yet. That may take until the next sweep when the process of the removal has
 * died, and only a conversion that has all files can share them.
 */
export const completeInheritance = (sql: SqlClient, heirId: string) => repeat(sql, inheritSome(sql, heirId))

/** Removes some files of a conversion, in a transaction of its caller, or gives them to its heir. Returns whether there may be more. */
const leaveSome = Effect.fnUntraced(function* (sql: SqlClient, conversionId: string, sweepAt: number) {
  const heir = yield* findHeir(sql, conversionId)
  return Option.isSome(heir)
    ? yield* giveSome(sql, conversionId, heir.value)
    : yield* dropSome(sql, ofConversions(sql, [conversionId]), sweepAt)
})

/**
 * Removes a conversion that the transaction of the caller has locked. One that shares its files inherits them, with the pictures and the
 * AV1 that are to be made. Returns what is to run after that transaction: it removes the
 * files that are left. Until then the conversion belongs to a blob that is DOOMED, so that no request and no worker finds it, and the
 * sweep removes what a process that dies leaves.
 */
export const removeConversion = Effect.fnUntraced(function* (sql: SqlClient, conversionId: string, sweepAt: number) {
  // A worker makes the pictures for the heir that it has not made yet.
  yield* sql`UPDATE conversion SET poster_due =
      (SELECT owner.poster_due FROM conversion AS owner WHERE owner.id = ${conversionId})
    WHERE shares_id = ${conversionId} AND poster_due IS NULL`
  // A running claim ends with the conversion, so that another worker begins again when its lease would have expired.
  yield* sql`UPDATE conversion SET ladder_state = 'QUEUED', tries = 0, interruptions = 0, ladder_due_at =
      (SELECT owner.ladder_due_at FROM conversion AS owner WHERE owner.id = ${conversionId})
    WHERE shares_id = ${conversionId}
      AND (SELECT owner.ladder_due_at FROM conversion AS owner WHERE owner.id = ${conversionId}) IS NOT NULL`
  const step = leaveSome(sql, conversionId, sweepAt)
  const remove = sql`DELETE FROM conversion WHERE id = ${conversionId}`
  if (!(yield* step)) {
    yield* remove
    return Effect.void
  }
  const blobId = `blb_${conversionId.slice(conversionId.indexOf("_") + 1)}`
  yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, due_at, created_at)
    SELECT ${blobId}, blob.tenant_id, blob.bucket_id, 'DOOMED', CAST(${sweepAt} AS bigint), blob.created_at
    FROM conversion JOIN blob ON blob.id = conversion.blob_id WHERE conversion.id = ${conversionId}`
  yield* sql`UPDATE conversion SET blob_id = ${blobId}, state = 'QUEUED', due_at = ${never}, fault_code = NULL,
    fault_detail = NULL, ladder_state = NULL, ladder_due_at = NULL, poster_due = NULL WHERE id = ${conversionId}`
  const rest = repeat(sql, step)
  const end = transaction(sql)(Effect.andThen(remove, sql`DELETE FROM blob WHERE id = ${blobId} AND state = 'DOOMED'`))
  return Effect.asVoid(Effect.andThen(rest, end))
})

/**
 * Runs what `removeConversion` has returned, if there was a conversion. Returns whether there was one. It is removed even if the rest of its
 * files is not: the sweep removes them.
 */
export const completeRemoval = <E, R>(removed: Option.Option<Effect.Effect<void, E, R>>) =>
  Option.match(removed, {
    onNone: () => Effect.succeed(false),
    onSome: (rest) => Effect.as(Effect.ignore(rest), true)
  })

/** Removes the captions that were attached to contents that are gone. */
export const dropCaptions = (sql: SqlClient, blobIds: ReadonlyArray<string>) =>
  sql`DELETE FROM captions WHERE ${among(sql, "blob_id", blobIds)} AND ${isGone(sql, "captions")}`

/** Removes the posters that were set for contents that are gone. */
export const dropPosters = (sql: SqlClient, blobIds: ReadonlyArray<string>) =>
  sql`DELETE FROM poster WHERE ${among(sql, "blob_id", blobIds)} AND ${isGone(sql, "poster")}`

/** Returns the conversions of contents that are gone. */
const findGone = (sql: SqlClient, blobIds: ReadonlyArray<string>, locking: Fragment) =>
  sql`SELECT id FROM conversion WHERE ${among(sql, "blob_id", blobIds)} AND ${isGone(sql, "conversion")}
    ${locking}`.pipe(Row.all((row) => Row.text(row, "id")))

/**
 * Removes the files of the conversions of contents that are gone, in transactions of its own. No lookup finds the segments, so these may
 * be swept at once.
 */
export const dropFilesOfGone = Effect.fnUntraced(function* (sql: SqlClient, blobIds: ReadonlyArray<string>) {
  const gone = yield* findGone(sql, blobIds, sql``)
  // One that was removed alone may have an heir.
  for (const conversionId of gone) yield* repeat(sql, leaveSome(sql, conversionId, 0))
})

/** Removes the conversions of contents that are gone, with the few files that `dropFilesOfGone` may have left. */
export const dropConversions = Effect.fnUntraced(function* (sql: SqlClient, blobIds: ReadonlyArray<string>) {
  // The lock waits for a worker that publishes at the same time, so that `dropSome` sees its segments.
  const gone = yield* findGone(sql, blobIds, lock(sql, "FOR UPDATE"))
  if (gone.length === 0) return
  while (yield* dropSome(sql, ofConversions(sql, gone), 0));
  yield* sql`DELETE FROM conversion WHERE ${among(sql, "id", gone)}`
})
