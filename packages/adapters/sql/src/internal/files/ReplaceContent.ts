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
import { runAndRecord } from "../events/RecordEvent.ts"
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

/** Updates the file, then its blobs. */
export const replaceContent = (
  sql: SqlClient,
  { assembly, bucket, condition, content, description = {}, fileId, folder, sweepAt }: ContentReplacement
) =>
  withinLimits(sql, bucket, (check) =>
    Effect.gen(function* () {
      const selector: Selector = { _tag: "Id", id: fileId, folder }
      const storedAt = millis(content.storedAt)
      if (assembly !== undefined) yield* assemble(sql, bucket, content, assembly)
      // The lock of the row orders concurrent changes: each one reads the previous change's blob as its own previous blob.
      const changed = yield* sql`UPDATE file SET previous_blob_id = blob_id, blob_id = ${content.blobId},
        version = version + 1, size = ${content.size}, sha256 = ${content.sha256 ?? ""}, etag = ${content.etag},
        content_type = ${content.contentType}, type = ${content.type}, stored_at = ${storedAt}, updated_at = ${storedAt},
        checksum = ${checksumText(content)}
        ${assignments(sql, description)}
      WHERE ${bySelector(sql, bucket, selector)}${lockBucketOfReservation(sql, bucket, content.blobId)}${preconditionClause(sql, condition)}
      RETURNING ${sql.literal(columns)}, previous_blob_id`.pipe(Row.first(toReplaced))
      if (changed._tag === "None") return yield* failUnmatched(sql, { bucket, selector, condition })

      const isNew = sql`id = ${content.blobId}`
      const movement = sql`UPDATE blob SET
        state = CASE WHEN ${isNew} THEN 'READY' ELSE 'DOOMED' END,
        due_at = CASE WHEN ${isNew} THEN NULL ELSE ${millis(sweepAt)} END,
        size = CASE WHEN ${isNew} THEN ${content.size} ELSE size END,
        sha256 = CASE WHEN ${isNew} THEN ${content.sha256} ELSE sha256 END,
        file_id = ${fileId}
      WHERE id IN (${content.blobId}, ${changed.value.previous ?? content.blobId}) AND ${ofBucket(sql, bucket)}
        AND state = CASE WHEN ${isNew} THEN 'PENDING' ELSE 'READY' END
      RETURNING id, size, COALESCE(reserved, 0) AS reserved`
      const moved = yield* runAndRecord(sql, movement, contentReplaced(bucket, changed.value.file, description)).pipe(
        Row.all((row) => ({
          id: Row.text(row, "id"),
          size: Row.int(row, "size"),
          reserved: Row.int(row, "reserved")
        }))
      )
      const added = moved.find(({ id }) => id === content.blobId)
      if (added === undefined) return yield* new UploadExpired()
      const former = moved.find(({ id }) => id !== content.blobId)?.size ?? 0
      yield* check({ files: 0, bytes: content.size - added.reserved - former })
      if (assembly !== undefined) yield* finishAssembly(sql, changed.value.file, assembly)
      return changed.value.file
    })
  ).pipe(orAliasTaken(sql, bucket, description.alias ?? ""))
