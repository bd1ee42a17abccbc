/**
 * Replaces a file's content.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { NotFound, PreconditionFailed } from "@holdfast/core/Errors"
import { UploadExpired } from "@holdfast/core/files/FileErrors"
import type { Selector } from "@holdfast/core/files/FileRef"
import type { ContentReplacement, FileRemoval, ReplacedDescription } from "@holdfast/core/files/FileRepository"
import { isEmpty } from "@holdfast/core/files/Precondition"
import { millis } from "../Dialect.ts"
import { recorded, runAndRecord } from "../events/RecordEvent.ts"
import * as PreparedText from "../PreparedText.ts"
import * as Row from "../Row.ts"
import { withinLimits } from "../usage/WithinLimits.ts"
import { contentReplaced } from "./FileEvents.ts"
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

const blobMovement = PreparedText.define(
  ["tenantId", "bucketId", "fileId", "blobId", "previous", "size", "sha256", "sweepAt"],
  (sql, { blobId, fileId, previous, sha256, size, sweepAt, ...bucket }) => {
    const isNew = sql`id = ${blobId}`
    return sql`UPDATE blob SET
          state = CASE WHEN ${isNew} THEN 'READY' ELSE 'DOOMED' END,
          due_at = CASE WHEN ${isNew} THEN NULL ELSE ${sweepAt} END,
          size = CASE WHEN ${isNew} THEN ${size} ELSE size END,
          sha256 = CASE WHEN ${isNew} THEN ${sha256} ELSE sha256 END,
          file_id = ${fileId}
        WHERE id IN (${blobId}, ${previous}) AND ${ofBucket(sql, bucket)}
          AND state = CASE WHEN ${isNew} THEN 'PENDING' ELSE 'READY' END
        RETURNING id, size, COALESCE(reserved, 0) AS reserved`
  }
)

/** Makes the new blob READY and the former one DOOMED. */
const moveBlobs = recorded(blobMovement)

/** Updates the file, then its blobs. */
export const replaceContent = (
  sql: SqlClient,
  { assembly, bucket, condition, content, description = {}, fileId, folder, sweepAt }: ContentReplacement
) =>
  withinLimits(sql, bucket, (check) =>
    Effect.gen(function* () {
      const selector: Selector = { _tag: "Id", id: fileId, folder }
      const { blobId, contentType, etag, sha256, size, type } = content
      if (assembly !== undefined) yield* assemble(sql, bucket, content, assembly)
      const values = {
        blobId,
        size,
        sha256: sha256 ?? "",
        etag,
        contentType,
        type,
        storedAt: millis(content.storedAt),
        checksum: checksumText(content)
      }
      const isPlain = folder === undefined && isEmpty(condition) && isWithout(description)
      const { bucketId, tenantId } = bucket
      // The lock of the row orders concurrent changes: each one reads the previous change's blob as its own previous blob.
      const changed = yield* Row.first(toReplaced)(
        isPlain
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
  ).pipe(orAliasTaken(sql, bucket, description.alias ?? ""))
