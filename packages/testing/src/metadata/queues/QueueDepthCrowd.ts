/**
 * Very many conversions and files of mirrors, most of them done, straight in the database; and the statements that tell how
 * many are not.
 */
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as MirrorCrowd from "../mirrors/MirrorCrowd.ts"
import * as Sample from "../Sample.ts"
import * as Statements from "../Statements.ts"

const due = DateTime.toEpochMillis(Sample.at())

/** Conversions, a part of which is due, with their contents. */
const conversions = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  const rows = sql`(WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS bigint))
    SELECT i FROM s) AS some_rows`
  yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, created_at)
    SELECT 'blb_' || i, 'ten', 'bkt', 'READY', 0 FROM ${rows}`
  yield* sql`INSERT INTO conversion
      (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress, attempt, tries, due_at)
    SELECT 'cnv_' || i, 'ten', 'bkt', 'fil_' || i, 'blb_' || i, 'hls', 'auto',
      CASE WHEN i % 10 = 0 THEN 'QUEUED' ELSE 'READY' END, 0, 0, 0,
      CASE WHEN i % 10 = 0 THEN ${due} + i ELSE NULL END FROM ${rows}`
})

/** Two mirrors with so many files each, and as many conversions; one in ten is not done. */
export const make = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  for (const _ of [1, 2]) yield* MirrorCrowd.make(count)
  yield* conversions(count)
  yield* sql`UPDATE mirror_task SET done = wanted WHERE file_id NOT LIKE '%0'`
})

/** The statement of each, for a time at which a half of the conversions is due. */
export const statements = (count: number, limit: number) =>
  Effect.gen(function* () {
    const at = DateTime.makeUnsafe(due + count / 2)
    return {
      conversions: yield* Statements.record((yield* ConversionRepository).queueDepth(at, limit)),
      mirrors: yield* Statements.record((yield* MirrorRepository).queueDepth(limit))
    }
  })
