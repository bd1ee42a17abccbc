/**
 * Replaces a file's content.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { NotFound, PreconditionFailed } from "@holdfast/core/Errors"
import type { Content, StoredFile } from "@holdfast/core/files/File"
import { UploadExpired } from "@holdfast/core/files/FileErrors"
import type { Selector } from "@holdfast/core/files/FileRef"
import type { ContentReplacement, FileRemoval, ReplacedDescription } from "@holdfast/core/files/FileRepository"
import { isEmpty } from "@holdfast/core/files/Precondition"
import { millis } from "../Dialect.ts"
import { recorded, runAndRecord, runSingle, runWithEvent, single } from "../events/RecordEvent.ts"
import * as PreparedText from "../PreparedText.ts"
import * as Row from "../Row.ts"
import { type Check, withinLimits } from "../usage/WithinLimits.ts"
import { afterVersion, contentReplaced, fileEvent } from "./FileEvents.ts"
import { assemble, finishAssembly } from "../uploads/Assemble.ts"
import { bySelector, checksumText, columns, ofBucket, toFile } from "./FileRow.ts"
import { orAliasTaken } from "./InsertFile.ts"
import { preconditionClause } from "./PreconditionClause.ts"

/** Fails with the reason why a conditional statement matched no row: `NotFound` or `PreconditionFailed`. */
export const failUnmatched = (
  sql: SqlClient,
  { bucket, condition, selector }: Pick<FileRemoval, "bucket" | "condition" | "selector">
) =>
  Effect.flatMap(
    isEmpty(condition) ? Effect.succeed([]) : sql`SELECT id FROM file WHERE ${bySelector(sql, bucket, selector)}`,
    (rows) => Effect.fail(rows.length === 0 ? new NotFound({ resource: "file" }) : new PreconditionFailed())
  )

const toReplaced: Row.FromRow<{
  readonly file: ReturnType<typeof toFile>
  /** The blob of the replaced content; null when the file was RESERVED. */
  readonly previous: string | null
}> = (row) => ({
  file: toFile(row),
  previous: Row.orNull(Row.text, row, "previous_blob_id")
})

/** Whether a description has a value for no column. */
const isWithout = ({ alias, headers, metadata }: ReplacedDescription): boolean =>
  alias === undefined && headers === undefined && metadata === undefined

/** Returns the assignments of the columns that a description has values for; an empty fragment without any. */
const assignments = (sql: SqlClient, { alias, headers, metadata }: ReplacedDescription): Fragment => {
  const assign = (column: string, value: string | null | undefined) =>
    value === undefined ? sql.literal("") : sql`, ${sql.literal(column)} = ${value}`
  const json = (value: object | undefined) => (value === undefined ? undefined : JSON.stringify(value))
  return sql`${assign("alias", alias)}${assign("metadata", json(metadata))}${assign("headers", json(headers))}`
}

/**
 * Locks the bucket ahead of the file, on PostgreSQL, where the blob reserves bytes: the trigger that releases them locks the bucket, and
 * the removal of a bucket locks it ahead of its files.
 */
const lockBucketOfReservation = (sql: SqlClient, { bucketId }: BucketRef, blobId: string): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql` AND (SELECT COUNT(*) FROM (SELECT id FROM bucket WHERE id = ${bucketId}
      AND EXISTS (SELECT 1 FROM blob WHERE id = ${blobId} AND reserved IS NOT NULL) FOR KEY SHARE OF bucket) AS locked) >= 0`,
    orElse: () => sql.literal("")
  })

/** The values that a new content sets in the row of its file. */
interface ChangedFile {
  readonly blobId: string
  readonly size: number | string
  readonly sha256: string
  readonly etag: string
  readonly contentType: string
  readonly type: string
  readonly storedAt: number | string
  readonly checksum: string | null
}

const changeFile = (
  sql: SqlClient,
  bucket: BucketRef,
  { blobId, checksum, contentType, etag, sha256, size, storedAt, type }: ChangedFile,
  {
    assigned,
    condition,
    selector
  }: { readonly assigned: Fragment; readonly condition: Fragment; readonly selector: Selector }
) => sql`UPDATE file SET previous_blob_id = blob_id, blob_id = ${blobId},
    version = version + 1, size = ${size}, sha256 = ${sha256}, etag = ${etag},
    content_type = ${contentType}, type = ${type}, stored_at = ${storedAt}, updated_at = ${storedAt},
    checksum = ${checksum}
    ${assigned}
  WHERE ${bySelector(sql, bucket, selector)}${lockBucketOfReservation(sql, bucket, blobId)}${condition}
  RETURNING ${sql.literal(columns)}, previous_blob_id`

/** Without a description, a condition and a folder. */
const changePlain = PreparedText.define(
  ["tenantId", "bucketId", "fileId", "blobId", "size", "sha256", "etag", "contentType", "type", "storedAt", "checksum"],
  (sql, { bucketId, fileId, tenantId, ...content }) =>
    changeFile(sql, { tenantId, bucketId }, content, {
      assigned: sql.literal(""),
      condition: sql.literal(""),
      selector: { _tag: "Id", id: fileId }
    })
)

interface Movement extends BucketRef {
  readonly fileId: string
  readonly blobId: string
  readonly previous: string | Fragment
  readonly size: string
  readonly sha256: string
  readonly sweepAt: string
}

const moveBoth = (
  sql: SqlClient,
  { blobId, fileId, previous, sha256, size, sweepAt, ...bucket }: Movement,
  from: Fragment
) => {
  const isNew = sql`blob.id = ${blobId}`
  return sql`UPDATE blob SET
        state = CASE WHEN ${isNew} THEN 'READY' ELSE 'DOOMED' END,
        due_at = CASE WHEN ${isNew} THEN NULL ELSE ${sweepAt} END,
        size = CASE WHEN ${isNew} THEN ${size} ELSE blob.size END,
        sha256 = CASE WHEN ${isNew} THEN ${sha256} ELSE blob.sha256 END,
        file_id = ${fileId}
      ${from} WHERE blob.id IN (${blobId}, ${previous}) AND ${ofBucket(sql, bucket)}
        AND state = CASE WHEN ${isNew} THEN 'PENDING' ELSE 'READY' END
      RETURNING blob.id AS id, blob.size AS size, COALESCE(reserved, 0) AS reserved`
}

const blobMovement = PreparedText.define(
  ["tenantId", "bucketId", "fileId", "blobId", "previous", "size", "sha256", "sweepAt"],
  (sql, names) => moveBoth(sql, names, sql.literal(""))
)

/** Makes the new blob READY and the former one DOOMED. */
const moveBlobs = recorded(blobMovement)

/**
 * Changes the file and its blobs and writes the event, by one statement. All of it reads what was committed before the statement began,
 * also when it waited for the row of the file: it may then not see the blob that another transaction has made the content meanwhile.
 * Unless it has changed each blob, the division fails, which rolls back the statement.
 */
const replacement = single(
  [...changePlain.names, "sweepAt", "afterVersion"],
  (sql, { afterVersion: detailEnd, bucketId, fileId, sweepAt, tenantId, ...content }, writeEvent) => {
    const bucket = { tenantId, bucketId }
    const previous = sql.literal("changed.previous_blob_id")
    const movement = { ...bucket, ...content, fileId, previous, sweepAt }
    const event = writeEvent({
      from: "changed",
      targetName: sql.literal("changed.path || changed.name"),
      detail: sql`'{"version":' || changed.version || CAST(${detailEnd} AS text)`
    })
    return sql`WITH changed AS (${changePlain.build(sql, { ...bucket, ...content, fileId })}),
        moved AS (${moveBoth(sql, movement, sql.literal("FROM changed"))}),
        recorded AS (${event})
      SELECT ${sql.literal(columns)} FROM changed WHERE 1 / (CASE WHEN (SELECT COUNT(*) FROM moved) =
        CASE WHEN previous_blob_id IS NULL THEN 1 ELSE 2 END THEN 1 ELSE 0 END) = 1`
  }
)

/** The SQLSTATE of a division by zero. */
const isIncomplete = (error: unknown): boolean =>
  isSqlError(error) && Predicate.hasProperty(error.reason.cause, "code") && error.reason.cause.code === "22012"

/** Updates the file, then its blobs. By one statement where that is possible; the transaction determines why that one changed nothing. */
export const replaceContent = (sql: SqlClient, change: ContentReplacement) => {
  const { assembly, content } = change
  const inTransaction = replaceInTransaction(sql, change)
  return isPlain(change) && assembly === undefined && content.sha256 !== null
    ? runSingle(sql, "content.replaced")(() => replaceAtOnce(sql, change, inTransaction), inTransaction)
    : inTransaction
}

/** Whether `changePlain` changes the file. */
const isPlain = ({ condition, description = {}, folder }: ContentReplacement): boolean =>
  folder === undefined && isEmpty(condition) && isWithout(description)

const replaceAtOnce = <E, R>(
  sql: SqlClient,
  { bucket, content, fileId, sweepAt }: ContentReplacement,
  otherwise: Effect.Effect<StoredFile, E, R>
) => {
  const { bucketId, tenantId } = bucket
  const values = { ...valuesOf(content), afterVersion: afterVersion(content) }
  const parameters = { tenantId, bucketId, fileId, sweepAt: millis(sweepAt), ...values }
  const event = fileEvent(bucket, "content.replaced", { id: fileId, path: "", name: "" }, {})
  return runWithEvent(sql, replacement, parameters, event).pipe(
    Row.first(toFile),
    Effect.catchIf(isIncomplete, () => Effect.succeedNone),
    Effect.flatMap((file) => (file._tag === "Some" ? Effect.succeed(file.value) : otherwise))
  )
}

/** Returns the values that a content has in the row of its file. */
const valuesOf = (content: Content) => {
  const { blobId, contentType, etag, sha256, size, type } = content
  return {
    blobId,
    size,
    sha256: sha256 ?? "",
    etag,
    contentType,
    type,
    storedAt: millis(content.storedAt),
    checksum: checksumText(content)
  }
}

const replaceInTransaction = (sql: SqlClient, change: ContentReplacement) =>
  withinLimits(sql, change.bucket, (check) => replaceWithin(sql, change, check)).pipe(
    orAliasTaken(sql, change.bucket, change.description?.alias ?? "")
  )

const replaceWithin = Effect.fnUntraced(function* (sql: SqlClient, change: ContentReplacement, check: Check) {
  const { assembly, bucket, condition, content, description = {}, fileId, folder, sweepAt } = change
  const selector: Selector = { _tag: "Id", id: fileId, folder }
  const { blobId, sha256, size } = content
  if (assembly !== undefined) yield* assemble(sql, bucket, content, assembly)
  const values = valuesOf(content)
  const { bucketId, tenantId } = bucket
  // The lock of the row orders concurrent changes: each one reads the previous change's blob as its own previous blob.
  const changed = yield* Row.first(toReplaced)(
    isPlain(change)
      ? changePlain.run(sql, { tenantId, bucketId, fileId, ...values })
      : changeFile(sql, bucket, values, {
          assigned: assignments(sql, description),
          condition: preconditionClause(sql, condition),
          selector
        })
  )
  if (changed._tag === "None") return yield* failUnmatched(sql, { bucket, selector, condition })

  const { file, previous } = changed.value
  const movement = {
    tenantId,
    bucketId,
    fileId,
    blobId,
    previous: previous ?? blobId,
    size,
    sha256,
    sweepAt: millis(sweepAt)
  }
  const moved = yield* runAndRecord(sql, moveBlobs, movement, contentReplaced(bucket, file, description)).pipe(
    Row.all((row) => ({
      id: Row.text(row, "id"),
      size: Row.int(row, "size"),
      reserved: Row.int(row, "reserved")
    }))
  )
  const added = moved.find(({ id }) => id === blobId)
  if (added === undefined) return yield* new UploadExpired()
  const former = moved.find(({ id }) => id !== blobId)?.size ?? 0
  yield* check({ files: 0, bytes: size - added.reserved - former })
  if (assembly !== undefined) yield* finishAssembly(sql, file, assembly)
  return file
})
