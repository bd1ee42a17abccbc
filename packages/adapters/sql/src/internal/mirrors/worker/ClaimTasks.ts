/**
 * Claims pending tasks of a mirror.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { StoredFile } from "@holdfast/core/files/File"
import { isMirrored, objectName } from "@holdfast/core/mirrors/targets/MirroredFile"
import type { MirrorTask } from "@holdfast/core/mirrors/worker/MirrorTask"
import type { StoredMirror } from "@holdfast/core/mirrors/StoredMirror"
import { among, skipLocked } from "../../Dialect.ts"
import { columns as fileColumns, toFile } from "../../files/FileRow.ts"
import { hasCome } from "../../HasCome.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../../Transaction.ts"
import * as ObjectNames from "./ObjectNames.ts"

/** As the input of `MirrorTaskRepository.claim`, with times in epoch milliseconds. */
interface Claim {
  readonly mirror: StoredMirror
  readonly limit: number
  readonly lease: string
  readonly leaseUntil: number
  readonly now: number
}

interface ClaimedRow {
  readonly fileId: string
  readonly wanted: number
  readonly attempts: number
}

const toClaimedRow: Row.FromRow<ClaimedRow> = (row) => ({
  fileId: Row.text(row, "file_id"),
  wanted: Row.int(row, "wanted"),
  attempts: Row.int(row, "attempts")
})

/**
 * For how long a task waits whose object name another worker has a lease on, in milliseconds. Random, so that two such tasks do
 * not meet again and again.
 */
const blockedFor = () => 100 + Math.floor(Math.random() * 150)

/**
 * Returns how many tasks may be claimed: none when the mirror has changed since it was read. A failing mirror is claimed by one
 * worker until the lease ends, and only with the failures that were read, so that `fail` records the result.
 */
const admit = (sql: SqlClient, { leaseUntil, limit, mirror, now }: Claim) => {
  const isUnchanged = sql`id = ${mirror.id} AND revision = ${mirror.revision} AND paused = 0 AND removed = 0
    AND ${hasCome(sql, "retry_at", now)}`
  return mirror.failure === null
    ? Effect.map(sql`SELECT id FROM mirror WHERE ${isUnchanged} AND failing_since IS NULL`, (rows) =>
        rows.length === 0 ? 0 : limit
      )
    : Effect.map(
        sql`UPDATE mirror SET retry_at = ${leaseUntil}
          WHERE ${isUnchanged} AND failing_since IS NOT NULL AND failures = ${mirror.failures} RETURNING id`,
        (rows) => Math.min(rows.length, limit)
      )
}

/** A composite content whose digest is being computed. The task becomes due at once when it is known. */
const awaitsDigest = (file: StoredFile): boolean => file.content !== null && !isMirrored(file)

/** How long a task waits for the digest of its content until the next look, in milliseconds. */
const digestWait = 10_000

const materialized = (sql: SqlClient) =>
  sql.literal(sql.onDialectOrElse({ pg: () => "MATERIALIZED", orElse: () => "" }))

/** Claims at most `count` tasks. Reads the files after the tasks, so that the files are no older than `wanted`. */
const claim = Effect.fnUntraced(function* (sql: SqlClient, { lease, leaseUntil, mirror, now }: Claim, count: number) {
  const claimed = yield* sql`WITH due AS ${materialized(sql)} (
        SELECT file_id FROM mirror_task WHERE mirror_id = ${mirror.id} AND done < wanted AND due_at <= ${now}
        ORDER BY due_at LIMIT ${count} ${skipLocked(sql)})
      UPDATE mirror_task SET lease = ${lease}, due_at = ${leaseUntil}
      WHERE mirror_id = ${mirror.id} AND file_id IN (SELECT file_id FROM due)
      RETURNING file_id, wanted, attempts`.pipe(Row.all(toClaimedRow))
  if (claimed.length === 0) return []
  const ids = claimed.map(({ fileId }) => fileId)
  // Tasks belong to files of the bucket only. With a condition on the bucket, SQLite would read the whole bucket.
  const found = yield* sql`SELECT ${sql.literal(fileColumns)} FROM file
    WHERE ${among(sql, "id", ids)} AND tenant_id = ${mirror.tenantId}`.pipe(Row.all(toFile))
  const files = new Map(found.filter(isMirrored).map((file) => [file.id, { file, name: objectName(file) }]))
  const waiting = new Set(found.filter(awaitsDigest).map(({ id }) => id))
  const wantedObjects = Array.from(files.values(), ({ file, name }) => ({
    fileId: file.id,
    name,
    sha256: file.content.sha256
  }))
  const taken = new Map(
    (yield* ObjectNames.takeNames(sql, { mirrorId: mirror.id, lease, now }, wantedObjects)).map((one) => [
      one.fileId,
      one
    ])
  )
  const isBlocked = (id: string): boolean => files.has(id) && !taken.has(id)
  const release = (fileIds: ReadonlyArray<string>, wait: number) =>
    fileIds.length === 0
      ? Effect.void
      : sql`UPDATE mirror_task SET lease = NULL, due_at = ${now + wait}
          WHERE mirror_id = ${mirror.id} AND ${among(sql, "file_id", fileIds)}`
  yield* release(ids.filter(isBlocked), blockedFor())
  yield* release([...waiting], digestWait)
  const formerNames = yield* ObjectNames.findFormerNames(sql, {
    mirrorId: mirror.id,
    fileIds: ids.filter((id) => !isBlocked(id) && !waiting.has(id)),
    currentNames: Array.from(taken.values(), ({ name }) => name)
  })
  return claimed.flatMap(({ attempts, fileId, wanted }): ReadonlyArray<MirrorTask> => {
    const source = files.get(fileId)
    const own = taken.get(fileId)
    if (waiting.has(fileId) || (source !== undefined && own === undefined)) return []
    const remove = formerNames.flatMap((former) => (former.fileId === fileId ? [former.name] : []))
    const write = source === undefined || own === undefined ? null : { ...source, hasBytes: own.hasBytes }
    return [{ mirrorId: mirror.id, fileId, lease, wanted, attempts, write, remove }]
  })
})

export const claimTasks = (sql: SqlClient, input: Claim) =>
  Effect.gen(function* () {
    const count = yield* admit(sql, input)
    if (count === 0) return []
    const tasks = yield* claim(sql, input, count)
    // Nothing to try now: the failing mirror is released for other workers.
    if (input.mirror.failure !== null && tasks.length === 0) {
      yield* sql`UPDATE mirror SET retry_at = ${input.now} WHERE id = ${input.mirror.id}`
    }
    return tasks
  }).pipe(transaction(sql))
