/**
 * The FolderRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { FolderJobRef } from "@holdfast/core/folders/FolderJob"
import { FolderRepository } from "@holdfast/core/folders/FolderRepository"
import * as Reads from "../../Reads.ts"
import { operation } from "../../SqlFailure.ts"
import { millis, skipLocked } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { claimColumns, columns, toClaim, toJob } from "./FolderJobRow.ts"
import { end, runStep, start } from "./FolderJobs.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const poll = yield* Reads.makePolls(sql)

  const claim = (terms: { readonly lease: string; readonly leaseUntil: number; readonly now: number }) => {
    const due = (client: SqlClient) =>
      client`SELECT id FROM folder_job WHERE due_at <= ${terms.now} ORDER BY due_at, id LIMIT 1`
    // Selects before it writes: mostly no job is due, and a write on SQLite blocks all writers.
    return Effect.flatMap(poll(due), (rows) =>
      rows.length === 0
        ? Effect.succeedNone
        : sql`UPDATE folder_job SET lease = ${terms.lease}, due_at = ${terms.leaseUntil}
            WHERE id IN (${due(sql)} ${skipLocked(sql)}) RETURNING ${sql.literal(claimColumns)}`.pipe(
            Row.first(toClaim)
          )
    )
  }

  const find = ({ jobId, ...bucket }: FolderJobRef) =>
    sql`SELECT ${sql.literal(columns)} FROM folder_job WHERE id = ${jobId} AND ${inBucket(sql, bucket)}`.pipe(
      Row.first(toJob)
    )

  return FolderRepository.of({
    start: (change) => start(sql, change).pipe(operation("folders.start")),

    find: (job) => find(job).pipe(operation("folders.find")),

    claim: ({ lease, leaseUntil, now }) =>
      claim({ lease, leaseUntil: millis(leaseUntil), now: millis(now) }).pipe(operation("folders.claim")),

    step: (terms) => runStep(sql, terms).pipe(operation("folders.step")),

    fail: ({ error, ...terms }) => end(sql, terms, error).pipe(operation("folders.fail")),

    // A running step holds the lock of the row, and the next one finds that the lease is lost.
    cancel: ({ jobId, ...bucket }, at) =>
      sql`UPDATE folder_job SET state = 'CANCELLED', updated_at = ${millis(at)}, due_at = NULL, lease = NULL
        WHERE id = ${jobId} AND state = 'RUNNING' AND ${inBucket(sql, bucket)}`.pipe(
        Effect.andThen(find({ jobId, ...bucket })),
        operation("folders.cancel")
      ),

    release: ({ id, lease }, dueAt) =>
      sql`UPDATE folder_job SET lease = NULL, due_at = ${millis(dueAt)} WHERE id = ${id} AND lease = ${lease}`.pipe(
        Effect.asVoid,
        operation("folders.release")
      )
  })
})

export const layer: Layer.Layer<FolderRepository, never, SqlClient> = Layer.effect(FolderRepository, make)
