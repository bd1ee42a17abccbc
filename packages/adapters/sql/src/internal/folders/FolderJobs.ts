/**
 * Moves and removes the files of folders: at once, or in the steps of a job.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { maxPath } from "@holdfast/core/access/FolderPath"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { InvalidRequest, NotFound, QuotaExceeded } from "@holdfast/core/Errors"
import { EventAuthor } from "@holdfast/core/events/EventAuthor"
import type { Place } from "@holdfast/core/files/FileRef"
import type { FolderJob } from "@holdfast/core/folders/FolderJob"
import type { FolderChange, FolderRepository } from "@holdfast/core/folders/FolderRepository"
import type { Step } from "@holdfast/core/workers/StepWorker"
import { utf8Length } from "@holdfast/core/Text"
import { lock, millis } from "../Dialect.ts"
import { afterFolder, inBucket } from "../files/FileRow.ts"
import { type PlacedFile, placedColumns, toPlaced } from "../files/FileSets.ts"
import { movingTransaction, moveLocked } from "../files/MoveFiles.ts"
import { deleteRows } from "../files/RemoveFiles.ts"
import * as Row from "../Row.ts"
import { toProgress } from "./FolderJobRow.ts"

/** The files that one transaction moves or removes. A larger folder is a job. */
const filesAtOnce = 500

/** The jobs of one bucket that may run at the same time, and the finished ones that it keeps. */
const maxRunning = 10
const maxFinished = 100

/** Locks the next files of a folder and of the folders below it: the first ones, among them the folder's marker, or those after a place. */
const lockNext = (
  sql: SqlClient,
  {
    after,
    bucket,
    limit,
    path
  }: {
    readonly bucket: BucketRef
    readonly path: string
    readonly after?: Place | undefined
    readonly limit: number
  }
) =>
  sql`SELECT ${sql.literal(placedColumns)}, updated_at FROM file
    WHERE ${inBucket(sql, bucket)} AND path < ${afterFolder(path)}
      AND ${after === undefined ? sql`path >= ${path}` : sql`(path, name) > (${after.path}, ${after.name})`}
    ORDER BY path, name LIMIT ${limit} ${lock(sql, "FOR UPDATE")}`.pipe(
    Row.all((row) => ({ ...toPlaced(row), updatedAt: Row.int(row, "updated_at") }))
  )

type Work = Pick<FolderChange, "bucket" | "kind" | "path" | "to" | "conflict" | "at" | "sweepAt">

/** Moves or removes locked files of a folder. */
const change = Effect.fnUntraced(function* (sql: SqlClient, work: Work, files: ReadonlyArray<PlacedFile>) {
  const { path, to } = work
  if (to === null) return yield* deleteRows(sql, { ...work, files })
  const moves = files.map((file) => ({ file, to: { path: to + file.path.slice(path.length), name: file.name } }))
  const tooLong = moves.find((move) => utf8Length(move.to.path) > maxPath)
  if (tooLong !== undefined) {
    return yield* InvalidRequest.at(
      "/to",
      `is too long: the folder of the file ${tooLong.file.id} would have more than ${maxPath} bytes`
    )
  }
  yield* moveLocked(sql, { ...work, moves, isToBeMoved: (file) => file.path.startsWith(path) })
})

/** Stores a job, unless too many run already, and forgets the oldest finished ones. */
const insertJob = Effect.fnUntraced(function* (
  sql: SqlClient,
  { at, bucket, conflict, jobId, kind, path, to }: FolderChange
) {
  const { bucketId, tenantId } = bucket
  const ofBucket = sql`tenant_id = ${tenantId} AND bucket_id = ${bucketId}`
  const running = yield* sql`SELECT id FROM folder_job WHERE ${ofBucket} AND state = 'RUNNING' LIMIT ${maxRunning}`
  if (running.length >= maxRunning) {
    const quota = { owner: "bucket" as const, limit: "folderJobs", maximum: maxRunning, use: running.length }
    return yield* new QuotaExceeded({ quota })
  }
  yield* sql`DELETE FROM folder_job WHERE ${ofBucket} AND state <> 'RUNNING' AND id <= (
    SELECT id FROM folder_job WHERE ${ofBucket} AND state <> 'RUNNING' ORDER BY id DESC LIMIT 1 OFFSET ${maxFinished - 1})`
  const { accountId, kind: actor, tokenId } = yield* EventAuthor
  yield* sql`INSERT INTO folder_job (id, tenant_id, bucket_id, kind, path, to_path, on_conflict, state, files, actor,
      account_id, token_id, at_path, at_name, created_at, updated_at, due_at)
    VALUES (${jobId}, ${tenantId}, ${bucketId}, ${kind}, ${path}, ${to}, ${conflict.onConflict}, 'RUNNING', 0, ${actor},
      ${accountId}, ${tokenId}, ${path}, '', ${millis(at)}, ${millis(at)}, 0)`
  const state = { state: "RUNNING", files: 0, error: null } as const
  return { id: jobId, kind, path, to, ...state, createdAt: at, updatedAt: at } satisfies FolderJob
})

/** Moves or removes a folder with few files, and stores a job for a larger one. */
export const start = (sql: SqlClient, folder: FolderChange) =>
  Effect.gen(function* () {
    const { at, kind, path, to } = folder
    const files = yield* lockNext(sql, { ...folder, limit: filesAtOnce + 1 })
    const [first] = files
    if (first === undefined) return yield* new NotFound({ resource: "folder" })
    if (files.length > filesAtOnce) {
      // A job begins after the place of the folder's marker.
      if (first.path === path && first.name === "") yield* change(sql, folder, [first])
      return yield* insertJob(sql, folder)
    }
    yield* change(sql, folder, files)
    const done = { id: null, kind, path, to, state: "DONE", files: files.length, error: null } as const
    return { ...done, createdAt: at, updatedAt: at } satisfies FolderJob
  }).pipe(movingTransaction(sql))

type StepTerms = Parameters<FolderRepository["Service"]["step"]>[0]

const lost: Step = { state: "LOST", rows: 0 }

/** Ends a claimed job, as FAILED with an error. */
export const end = (sql: SqlClient, { at, claim }: Pick<StepTerms, "at" | "claim">, error?: FolderJob["error"]) =>
  sql`UPDATE folder_job SET state = ${error ? "FAILED" : "DONE"}, error_code = ${error?.code ?? null},
      error_detail = ${error?.detail ?? null}, updated_at = ${millis(at)}, due_at = NULL, lease = NULL
    WHERE id = ${claim.id} AND lease = ${claim.lease} RETURNING id`.pipe(
    Effect.map((rows): Step => (rows.length === 0 ? lost : { state: "DONE", rows: 0 }))
  )

/** Runs one step of a claimed job. */
export const runStep = (sql: SqlClient, terms: StepTerms) =>
  Effect.gen(function* () {
    const { at, claim, leaseUntil, limit, suffix, sweepAt } = terms
    const [progress] =
      yield* sql`SELECT tenant_id, bucket_id, kind, path, to_path, on_conflict, at_path, at_name, created_at
      FROM folder_job WHERE id = ${claim.id} AND lease = ${claim.lease} ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(
        Row.all(toProgress)
      )
    if (progress === undefined) return lost
    const { after, bucket, createdAt, kind, onConflict, path, to } = progress
    const found = yield* lockNext(sql, { bucket, path, after, limit })
    // A file that a client has stored, moved or changed since is not one that the request meant.
    const files = found.filter(({ updatedAt }) => updatedAt < createdAt)
    // On PostgreSQL, a file that was moved while the step waited for its lock is found with its new place, beyond files not yet visited.
    const last = files.at(-1) ?? found.at(-1)
    if (last === undefined) return yield* end(sql, terms)
    yield* change(sql, { bucket, kind, path, to, conflict: { onConflict, suffix }, at, sweepAt }, files)
    yield* sql`UPDATE folder_job SET files = files + ${files.length}, at_path = ${last.path}, at_name = ${last.name},
        updated_at = ${millis(at)}, due_at = ${millis(leaseUntil)} WHERE id = ${claim.id}`
    return { state: "PENDING", rows: found.length } satisfies Step
  }).pipe(
    movingTransaction(sql),
    Effect.catchTags({
      FileExists: ({ code, message }) => end(sql, terms, { code, detail: message }),
      InvalidRequest: ({ code, message }) => end(sql, terms, { code, detail: message })
    })
  )
