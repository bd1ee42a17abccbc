/**
 * The names of objects at a target, each of which belongs to one file. All functions run in the transaction of a claim.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { among, skipLocked } from "../../Dialect.ts"
import * as Row from "../../Row.ts"
import { recordset } from "../MirrorRow.ts"

/** A claimed file, with the name and the bytes that its object is to have. */
interface WantedObject {
  readonly fileId: string
  readonly name: string
  readonly sha256: string
}

/** A name that a claimed file has taken. */
interface TakenName {
  readonly fileId: string
  readonly name: string
  /** Whether the target is known to have an object of this name with the wanted bytes. */
  readonly hasBytes: boolean
}

/** The claim that takes the names. */
interface Claim {
  readonly mirrorId: string
  readonly lease: string
  readonly now: number
}

const toOwner: Row.FromRow<{ readonly fileId: string; readonly name: string; readonly hasTask: boolean }> = (row) => ({
  fileId: Row.text(row, "file_id"),
  name: Row.text(row, "name"),
  hasTask: row.task_id !== null
})

const toTakenName: Row.FromRow<TakenName> = (row) => ({
  fileId: Row.text(row, "file_id"),
  name: Row.text(row, "name"),
  hasBytes: row.sha256 !== null
})

const toObject: Row.FromRow<{ readonly fileId: string; readonly name: string }> = (row) => ({
  fileId: Row.text(row, "file_id"),
  name: Row.text(row, "name")
})

/**
 * Finds the other files that own wanted names. Returns the files whose names may be taken, and the names that may not be.
 *
 * A name may be taken from a file without a task, and from a file on whose task no worker has a lease; the task is locked, so that
 * no worker can claim it before this transaction ends. A task of this very claim counts as without a lease, so that two files
 * can exchange their names.
 */
const findOwners = Effect.fnUntraced(function* (
  sql: SqlClient,
  { lease, mirrorId, now }: Claim,
  wanted: ReadonlyArray<WantedObject>
) {
  const names = wanted.map(({ name }) => name)
  const claimed = wanted.map(({ fileId }) => fileId)
  const owners = yield* sql`SELECT o.file_id, o.name, t.file_id AS task_id
    FROM mirror_object o LEFT JOIN mirror_task t ON t.mirror_id = o.mirror_id AND t.file_id = o.file_id
    WHERE o.mirror_id = ${mirrorId} AND ${among(sql, "o.name", names)}
      AND NOT (${among(sql, "o.file_id", claimed)})`.pipe(Row.all(toOwner))
  if (owners.length === 0) return { formerOwners: claimed, unavailable: new Set<string>() }
  const withTask = owners.flatMap(({ fileId, hasTask }) => (hasTask ? [fileId] : []))
  const withoutTask = owners.flatMap(({ fileId, hasTask }) => (hasTask ? [] : [fileId]))
  const withoutLease = yield* sql`SELECT file_id FROM mirror_task
    WHERE mirror_id = ${mirrorId} AND ${among(sql, "file_id", withTask)}
      AND (lease IS NULL OR lease = ${lease} OR due_at <= ${now})
    ORDER BY file_id ${skipLocked(sql)}`.pipe(Row.all((row) => Row.text(row, "file_id")))
  const formerOwners = new Set([...claimed, ...withoutLease, ...withoutTask])
  const unavailable = new Set(owners.flatMap(({ fileId, name }) => (formerOwners.has(fileId) ? [] : [name])))
  return { formerOwners: [...formerOwners], unavailable }
})

const selectWantedBytes = (sql: SqlClient, rows: ReadonlyArray<{ readonly name: string; readonly sha256: string }>) =>
  sql`SELECT b.sha256 FROM ${recordset(sql, "b", { name: "text", sha256: "text" }, rows)}
    WHERE b.name = mirror_object.name`

/**
 * Takes names for claimed files. From now on their bytes are unknown until the task is completed, unless the object is known to
 * have the wanted bytes. Returns the names that were taken: not those of files on which another worker has a lease.
 */
export const takeNames = Effect.fnUntraced(function* (
  sql: SqlClient,
  claim: Claim,
  wanted: ReadonlyArray<WantedObject>
) {
  if (wanted.length === 0) return []
  const { formerOwners, unavailable } = yield* findOwners(sql, claim, wanted)
  // Unavailable names are left out of the statement: another transaction may hold a lock on them for a long time.
  const rows = wanted.flatMap(({ fileId, name, sha256 }) =>
    unavailable.has(name) ? [] : [{ file_id: fileId, name, sha256 }]
  )
  if (rows.length === 0) return []
  return yield* sql`INSERT INTO mirror_object (mirror_id, name, file_id)
    SELECT ${claim.mirrorId}, a.name, a.file_id
    FROM ${recordset(sql, "a", { file_id: "text", name: "text", sha256: "text" }, rows)}
    WHERE 1 = 1 ORDER BY a.name
    ON CONFLICT (mirror_id, name) DO UPDATE SET file_id = excluded.file_id,
      sha256 = CASE WHEN mirror_object.sha256 = (${selectWantedBytes(sql, rows)}) THEN mirror_object.sha256 ELSE NULL END
    WHERE ${among(sql, "mirror_object.file_id", formerOwners)}
    RETURNING file_id, name, sha256`.pipe(Row.all(toTakenName))
})

/** Returns the other names of claimed files, whose objects are to be removed. From now on their bytes are unknown. */
export const findFormerNames = Effect.fnUntraced(function* (
  sql: SqlClient,
  input: {
    readonly mirrorId: string
    readonly fileIds: ReadonlyArray<string>
    readonly currentNames: ReadonlyArray<string>
  }
) {
  const { currentNames, fileIds, mirrorId } = input
  return yield* sql`UPDATE mirror_object SET sha256 = NULL
    WHERE mirror_id = ${mirrorId} AND ${among(sql, "file_id", fileIds)} AND NOT (${among(sql, "name", currentNames)})
    RETURNING file_id, name`.pipe(Row.all(toObject))
})
