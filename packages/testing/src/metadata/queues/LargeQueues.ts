/**
 * Very many conversions and mirrored files, most of them done, inserted directly into the database; and the statements that
 * return the queue depths.
 */
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as LargeMirrors from "../mirrors/LargeMirrors.ts"
import * as Sample from "../Sample.ts"
import * as Statements from "../Statements.ts"

const firstDue = DateTime.toEpochMillis(Sample.at())

/** Inserts conversions with their blobs. One in ten is queued; its row number is its due time. */
const insertConversions = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  const rows = sql`(WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS bigint))
    SELECT i FROM s) AS some_rows`
  yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, created_at)
    SELECT 'blb_' || i, 'ten', 'bkt', 'READY', 0 FROM ${rows}`
  yield* sql`INSERT INTO conversion
      (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress, attempt, tries, due_at)
    SELECT 'cnv_' || i, 'ten', 'bkt', 'fil_' || i, 'blb_' || i, 'hls', 'auto',
      CASE WHEN i % 10 = 0 THEN 'QUEUED' ELSE 'READY' END, 0, 0, 0,
      CASE WHEN i % 10 = 0 THEN ${firstDue} + i ELSE NULL END FROM ${rows}`
})

/** Creates two mirrors with this many files each, and as many conversions. One in ten of each is not done. */
export const make = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  for (const _ of [1, 2]) yield* LargeMirrors.make(count)
  yield* insertConversions(count)
  yield* sql`UPDATE mirror_task SET done = wanted WHERE file_id NOT LIKE '%0'`
})

/** Records the statement of each queue, at a time when half of the queued conversions are due. */
export const statements = (count: number, limit: number) =>
  Effect.gen(function* () {
    const now = DateTime.makeUnsafe(firstDue + count / 2)
    return {
      conversions: yield* Statements.record((yield* ConversionRepository).queueDepth(now, limit)),
      mirrors: yield* Statements.record((yield* MirrorRepository).queueDepth(limit))
    }
  })

/**
 * Inserts queued conversions of two tenants: of `ten_many` this many, half of them of contents that were replaced; of
 * `ten_few` a single one, which is due last.
 */
export const makeTurns = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  const rows = sql`(WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS bigint))
    SELECT i FROM s) AS some_rows`
  const tenant = sql`CASE WHEN i = ${count} THEN 'ten_few' ELSE 'ten_many' END`
  yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, created_at, due_at)
    SELECT 'blb_turn_' || i, ${tenant}, 'bkt', CASE WHEN i % 2 = 0 THEN 'READY' ELSE 'DOOMED' END, 0,
      CASE WHEN i % 2 = 0 THEN NULL ELSE 0 END FROM ${rows}`
  yield* sql`INSERT INTO conversion
      (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress, attempt, tries, due_at)
    SELECT 'cnv_turn_' || i, ${tenant}, 'bkt', 'fil_' || i, 'blb_turn_' || i, 'hls', 'auto', 'QUEUED', 0, 0, 0, i
    FROM ${rows}`
})

/** Inserts a queued conversion of each of this many tenants. */
export const makeTenants = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  const rows = sql`(WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS bigint))
    SELECT i FROM s) AS some_rows`
  yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, created_at)
    SELECT 'blb_tenant_' || i, 'ten_' || i, 'bkt', 'READY', 0 FROM ${rows}`
  yield* sql`INSERT INTO conversion
      (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress, attempt, tries, due_at)
    SELECT 'cnv_tenant_' || i, 'ten_' || i, 'bkt', 'fil_' || i, 'blb_tenant_' || i, 'hls', 'auto', 'QUEUED', 0, 0, 0, i
    FROM ${rows}`
})

/** Records the statements of two claims. */
export const claims = Effect.gen(function* () {
  const conversions = yield* ConversionRepository
  const now = Sample.at()
  const claim = conversions.claim({ now, leaseUntil: DateTime.add(now, { minutes: 1 }), sweepAt: now })
  return [yield* Statements.record(claim), yield* Statements.record(claim)] as const
})
