/**
 * Changes a file's record or headers, and removes a file.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import type { Metadata, StoredFile } from "@holdfast/core/files/File"
import type { FileRemoval, FileUpdate, HeaderUpdate, MetadataUpdate } from "@holdfast/core/files/FileRepository"
import * as TraceMember from "@holdfast/core/files/moves/TraceMember"
import { lock, millis } from "../Dialect.ts"
import { changedFields, record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { inTransaction, transaction } from "../../Transaction.ts"
import { fileEvent, headersUpdated } from "./FileEvents.ts"
import { bySelector, columns, inBucket, ofBucket, readHeaders, toFile } from "./FileRow.ts"
import { orFileTaken } from "./InsertFile.ts"
import { preconditionClause } from "./PreconditionClause.ts"
import { failUnmatched } from "./ReplaceContent.ts"

const orNotFound = Effect.flatMap(
  Option.match({
    onNone: () => Effect.fail(new NotFound({ resource: "file" })),
    onSome: (file: StoredFile) => Effect.succeed(file)
  })
)

/** Returns new metadata with the trace of the current one. Locks the file's row. */
const withTrace = (sql: SqlClient, { bucket, selector }: FileUpdate, metadata: Metadata) =>
  sql`SELECT ${sql.literal(columns)} FROM file WHERE ${bySelector(sql, bucket, selector)}
    ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(
    Row.first(toFile),
    orNotFound,
    Effect.map((current) => TraceMember.keepTrace(current.metadata, metadata))
  )

/** Changes the fields that `change` has. */
export const updateFile = (sql: SqlClient, update: FileUpdate) => {
  const { metadata } = update.change
  if (metadata === undefined) return updateFields(sql, update)
  return withTrace(sql, update, metadata).pipe(
    Effect.flatMap((kept) => updateFields(sql, { ...update, change: { ...update.change, metadata: kept } })),
    transaction(sql)
  )
}

const updateFields = (sql: SqlClient, { at, bucket, change, selector }: FileUpdate) => {
  const file = bySelector(sql, bucket, selector)
  const current = (column: "path" | "name") => sql`(SELECT ${sql.literal(column)} FROM file WHERE ${file})`
  // The place of a marker is that of its folder: it moves with the folder only, and has no name.
  const isMovable = sql.literal(change.name === undefined && change.path === undefined ? "" : " AND name <> ''")
  return sql`UPDATE file SET ${sql.update({
    updated_at: millis(at),
    ...(change.name === undefined ? undefined : { name: change.name }),
    ...(change.path === undefined ? undefined : { path: change.path }),
    ...(change.alias === undefined ? undefined : { alias: change.alias }),
    ...(change.metadata === undefined ? undefined : { metadata: JSON.stringify(change.metadata) })
  })} WHERE ${file}${isMovable} RETURNING ${sql.literal(columns)}`.pipe(
    Row.first(toFile),
    orNotFound,
    Effect.tap((changed) => record(sql, fileEvent(bucket, "file.updated", changed, changedFields(change)))),
    transaction(sql),
    orFileTaken(sql, bucket, {
      path: change.path ?? current("path"),
      name: change.name ?? current("name"),
      alias: change.alias ?? ""
    })
  )
}

/** Replaces the metadata by the result of `change`, under a lock of the file's row. */
export const updateMetadata = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  { at, bucket, change, selector }: MetadataUpdate<E>
) {
  const { id, metadata } =
    yield* sql`SELECT ${sql.literal(columns)} FROM file WHERE ${bySelector(sql, bucket, selector)}
      ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(Row.first(toFile), orNotFound)
  const changed = yield* Effect.fromResult(change(metadata))
  const file = yield* sql`UPDATE file SET metadata = ${JSON.stringify(changed)}, updated_at = ${millis(at)}
      WHERE id = ${id} AND ${inBucket(sql, bucket)} RETURNING ${sql.literal(columns)}`.pipe(
    Row.first(toFile),
    orNotFound
  )
  yield* record(sql, fileEvent(bucket, "file.updated", file, changedFields({ metadata: changed })))
  return file
}, inTransaction)

/** Replaces the headers by the result of `change`, under a lock of the file's row. */
export const updateHeaders = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  { at, bucket, change, selector }: HeaderUpdate<E>
) {
  const current = yield* sql`SELECT id, headers FROM file WHERE ${bySelector(sql, bucket, selector)}
      ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(
    Row.first((row) => ({ id: Row.text(row, "id"), headers: readHeaders(row) }))
  )
  if (Option.isNone(current)) return yield* new NotFound({ resource: "file" })
  const headers = yield* Effect.fromResult(change(current.value.headers))
  const changed = yield* sql`UPDATE file SET headers = ${JSON.stringify(headers)}, updated_at = ${millis(at)}
      WHERE id = ${current.value.id} AND ${inBucket(sql, bucket)}
      RETURNING ${sql.literal(columns)}`.pipe(Row.first(toFile), orNotFound)
  yield* record(sql, headersUpdated(bucket, changed, current.value.headers))
  return changed
}, inTransaction)

const toRemoved = (row: Row.Row) => ({
  id: Row.text(row, "id"),
  path: Row.text(row, "path"),
  name: Row.text(row, "name"),
  version: Row.int(row, "version"),
  blobId: Row.orNull(Row.text, row, "blob_id")
})

/** Removes a file for which the condition holds, and dooms its blob. */
export const removeFile = Effect.fnUntraced(function* (
  sql: SqlClient,
  { bucket, condition, sweepAt, selector }: FileRemoval
) {
  const removed = yield* sql`DELETE FROM file
      WHERE ${bySelector(sql, bucket, selector)}${preconditionClause(sql, condition)}
      RETURNING id, path, name, version, blob_id`.pipe(Row.first(toRemoved))
  if (Option.isNone(removed)) return yield* failUnmatched(sql, { bucket, selector, condition })
  const { blobId, version, ...place } = removed.value
  yield* record(sql, fileEvent(bucket, "file.deleted", place, { version }))
  if (blobId !== null) {
    yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${millis(sweepAt)}
        WHERE id = ${blobId} AND ${ofBucket(sql, bucket)} AND state = 'READY'`
  }
}, inTransaction)
