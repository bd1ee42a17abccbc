/**
 * The names of objects at a target, each of which belongs to one file. Inside the transaction of a claim.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { among } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { recordset, skipLocked } from "../MirrorRow.ts"

/** A file that is claimed, with the name and bytes that its object has to have. */
export interface Wish {
  readonly fileId: string
  readonly name: string
  readonly sha256: string
}

export interface Taken {
  readonly fileId: string
  readonly name: string
  /** Whether an object of this name and these bytes is known to stand. */
  readonly hasBytes: boolean
}

const toOwner: Row.FromRow<{ readonly fileId: string; readonly name: string; readonly hasTask: boolean }> = (row) => ({
  fileId: Row.text(row, "file_id"),
  name: Row.text(row, "name"),
  hasTask: row.task_id !== null
})

const toTaken: Row.FromRow<Taken> = (row) => ({
  fileId: Row.text(row, "file_id"),
  name: Row.text(row, "name"),
  hasBytes: row.sha256 !== null
})

const toObject: Row.FromRow<{ readonly fileId: string; readonly name: string }> = (row) => ({
  fileId: Row.text(row, "file_id"),
  name: Row.text(row, "name")
})

/**
 * The names that others have and do not give up, and the others that do: no worker holds them, and none can before this
 * transaction ends. Those claimed by this very transaction give up theirs, so that two files that change names get each
 * other's.
 */
const negotiate = Effect.fnUntraced(function* (
  sql: SqlClient,
  mirrorId: string,
  wishes: ReadonlyArray<Wish>,
  lease: string,
  at: number
) {
  const names = wishes.map(({ name }) => name)
  const mine = wishes.map(({ fileId }) => fileId)
  const owners = yield* sql`SELECT o.file_id, o.name, t.file_id AS task_id
    FROM mirror_object o LEFT JOIN mirror_task t ON t.mirror_id = o.mirror_id AND t.file_id = o.file_id
    WHERE o.mirror_id = ${mirrorId} AND ${among(sql, "o.name", names)}
      AND NOT (${among(sql, "o.file_id", mine)})`.pipe(Row.all(toOwner))
  if (owners.length === 0) return { from: mine, kept: new Set<string>() }
  const busy = owners.flatMap(({ fileId, hasTask }) => (hasTask ? [fileId] : []))
  const free = yield* sql`SELECT file_id FROM mirror_task
    WHERE mirror_id = ${mirrorId} AND ${among(sql, "file_id", busy)}
      AND (lease IS NULL OR lease = ${lease} OR due_at <= ${at})
    ORDER BY file_id ${skipLocked(sql)}`.pipe(Row.all((row) => Row.text(row, "file_id")))
  const from = new Set([...mine, ...free, ...owners.flatMap(({ fileId, hasTask }) => (hasTask ? [] : [fileId]))])
  const kept = new Set(owners.flatMap(({ fileId, name }) => (from.has(fileId) ? [] : [name])))
  return { from: [...from], kept }
})

/**
 * Takes the names that claimed files have to have. From now until a worker tells otherwise their bytes are in doubt, unless
 * they are those that are wanted. A file whose name another worker is busy with is not among the answers.
 */
export const take = Effect.fnUntraced(function* (
  sql: SqlClient,
  mirrorId: string,
  wishes: ReadonlyArray<Wish>,
  lease: string,
  at: number
) {
  if (wishes.length === 0) return []
  const { from, kept } = yield* negotiate(sql, mirrorId, wishes, lease, at)
  // What others keep is not touched, since it may be locked for as long as they work on it.
  const rows = wishes.flatMap(({ fileId, name, sha256 }) => (kept.has(name) ? [] : [{ file_id: fileId, name, sha256 }]))
  if (rows.length === 0) return []
  return yield* sql`INSERT INTO mirror_object (mirror_id, name, file_id)
    SELECT ${mirrorId}, a.name, a.file_id
    FROM ${recordset(sql, "a", { file_id: "text", name: "text", sha256: "text" }, rows)}
    WHERE 1 = 1 ORDER BY a.name
    ON CONFLICT (mirror_id, name) DO UPDATE SET file_id = excluded.file_id,
      sha256 = CASE WHEN mirror_object.sha256 = (${wantedBytes(sql, rows)}) THEN mirror_object.sha256 ELSE NULL END
    WHERE ${among(sql, "mirror_object.file_id", from)}
    RETURNING file_id, name, sha256`.pipe(Row.all(toTaken))
})

const wantedBytes = (sql: SqlClient, rows: ReadonlyArray<{ readonly name: string; readonly sha256: string }>) =>
  sql`SELECT b.sha256 FROM ${recordset(sql, "b", { name: "text", sha256: "text" }, rows)}
    WHERE b.name = mirror_object.name`

/** The other names of claimed files, whose objects are to be removed, and are in doubt from now on. */
export const others = Effect.fnUntraced(function* (
  sql: SqlClient,
  mirrorId: string,
  fileIds: ReadonlyArray<string>,
  names: ReadonlyArray<string>
) {
  return yield* sql`UPDATE mirror_object SET sha256 = NULL
    WHERE mirror_id = ${mirrorId} AND ${among(sql, "file_id", fileIds)} AND NOT (${among(sql, "name", names)})
    RETURNING file_id, name`.pipe(Row.all(toObject))
})
