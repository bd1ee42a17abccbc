/**
 * Claims pending files of a mirror.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type MirroredFile, objectName } from "@holdfast/core/mirrors/targets/MirroredFile"
import type { MirrorTask } from "@holdfast/core/mirrors/worker/MirrorTask"
import type { StoredFile } from "@holdfast/core/files/File"
import type { StoredMirror } from "@holdfast/core/mirrors/StoredMirror"
import { among } from "../../Dialect.ts"
import { columns as fileColumns, toFile } from "../../files/FileRow.ts"
import * as Row from "../../Row.ts"
import { transaction } from "../../Transaction.ts"
import { skipLocked } from "../MirrorRow.ts"
import * as ObjectNames from "./ObjectNames.ts"

interface Claimed {
  readonly fileId: string
  readonly wanted: number
  readonly attempts: number
}

const toClaimed: Row.FromRow<Claimed> = (row) => ({
  fileId: Row.text(row, "file_id"),
  wanted: Row.int(row, "wanted"),
  attempts: Row.int(row, "attempts")
})

/** For how long a file waits whose name another worker is busy with; a little less each time two of them meet. */
const blockedFor = () => 100 + Math.floor(Math.random() * 150)

/** How many files may be claimed. A mirror in trouble is taken by one worker, for as long as a lease lasts;
 * only as it was read, so that its failure is noted. */
const admit = (sql: SqlClient, mirror: StoredMirror, limit: number, at: number, leaseUntil: number) => {
  const standing = sql`id = ${mirror.id} AND revision = ${mirror.revision} AND paused = 0 AND removed = 0
    AND retry_at <= ${at}`
  return mirror.trouble === null
    ? Effect.map(sql`SELECT id FROM mirror WHERE ${standing} AND failing_since IS NULL`, (rows) =>
        rows.length === 0 ? 0 : limit
      )
    : Effect.map(
        sql`UPDATE mirror SET retry_at = ${leaseUntil}
          WHERE ${standing} AND failing_since IS NOT NULL AND failures = ${mirror.failures} RETURNING id`,
        (rows) => Math.min(rows.length, limit)
      )
}

const hasContent = (file: StoredFile): file is MirroredFile => file.content !== null

/**
 * The files are read after their tasks were claimed, so that what is copied is no older than what was wanted.
 */
const take = Effect.fnUntraced(function* (
  sql: SqlClient,
  mirror: StoredMirror,
  count: number,
  lease: string,
  at: number,
  leaseUntil: number
) {
  const claimed = yield* sql`WITH due AS ${materialized(sql)} (
        SELECT file_id FROM mirror_task WHERE mirror_id = ${mirror.id} AND done < wanted AND due_at <= ${at}
        ORDER BY due_at LIMIT ${count} ${skipLocked(sql)})
      UPDATE mirror_task SET lease = ${lease}, due_at = ${leaseUntil}
      WHERE mirror_id = ${mirror.id} AND file_id IN (SELECT file_id FROM due)
      RETURNING file_id, wanted, attempts`.pipe(Row.all(toClaimed))
  if (claimed.length === 0) return []
  const ids = claimed.map(({ fileId }) => fileId)
  // Tasks are of the bucket's files alone. Asked for the bucket, too, SQLite would read all of it.
  const files = new Map(
    (yield* sql`SELECT ${sql.literal(fileColumns)} FROM file
        WHERE ${among(sql, "id", ids)} AND tenant_id = ${mirror.tenantId}`.pipe(Row.all(toFile)))
      .filter(hasContent)
      .map((file) => [file.id, { file, name: objectName(file) }])
  )
  const wishes = Array.from(files.values(), ({ file, name }) => ({
    fileId: file.id,
    name,
    sha256: file.content.sha256
  }))
  const taken = new Map((yield* ObjectNames.take(sql, mirror.id, wishes, lease, at)).map((one) => [one.fileId, one]))
  const [ready, blocked] = [
    ids.filter((id) => !files.has(id) || taken.has(id)),
    ids.filter((id) => files.has(id) && !taken.has(id))
  ]
  if (blocked.length > 0) {
    yield* sql`UPDATE mirror_task SET lease = NULL, due_at = ${at + blockedFor()}
        WHERE mirror_id = ${mirror.id} AND ${among(sql, "file_id", blocked)}`
  }
  const names = Array.from(taken.values(), ({ name }) => name)
  const others = yield* ObjectNames.others(sql, mirror.id, ready, names)
  return claimed.flatMap(({ attempts, fileId, wanted }): ReadonlyArray<MirrorTask> => {
    const target = files.get(fileId)
    const own = taken.get(fileId)
    if (target !== undefined && own === undefined) return []
    const remove = others.flatMap((other) => (other.fileId === fileId ? [other.name] : []))
    const write = target === undefined || own === undefined ? null : { ...target, hasBytes: own.hasBytes }
    return [{ mirrorId: mirror.id, fileId, lease, wanted, attempts, write, remove }]
  })
})

export const claim = (
  sql: SqlClient,
  mirror: StoredMirror,
  limit: number,
  lease: string,
  at: number,
  leaseUntil: number
) =>
  Effect.gen(function* () {
    const count = yield* admit(sql, mirror, limit, at, leaseUntil)
    if (count === 0) return []
    const tasks = yield* take(sql, mirror, count, lease, at, leaseUntil)
    // A mirror in trouble for which there is nothing to try now is anybody's again.
    if (mirror.trouble !== null && tasks.length === 0) {
      yield* sql`UPDATE mirror SET retry_at = ${at} WHERE id = ${mirror.id}`
    }
    return tasks
  }).pipe(transaction(sql))

const materialized = (sql: SqlClient) =>
  sql.literal(sql.onDialectOrElse({ pg: () => "MATERIALIZED", orElse: () => "" }))
