/**
 * Gives a file another content.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound, PreconditionFailed } from "@holdfast/core/Errors"
import type { Content } from "@holdfast/core/files/File"
import { UploadExpired } from "@holdfast/core/files/FileErrors"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Selector } from "@holdfast/core/files/FileRef"
import { isEmpty, type Precondition } from "@holdfast/core/files/Precondition"
import { millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { transaction } from "../Transaction.ts"
import { where } from "./Condition.ts"
import { columns, inBucket, named, toFile } from "./FileRow.ts"

/** Why a conditional change met no row. */
export const missed = (sql: SqlClient, bucket: BucketRef, selector: Selector, condition: Precondition) =>
  Effect.flatMap(
    isEmpty(condition) ? Effect.succeed([]) : sql`SELECT id FROM file WHERE ${named(sql, bucket, selector)}`,
    (rows) => Effect.fail(rows.length === 0 ? new NotFound({ resource: "file" }) : new PreconditionFailed())
  )

const updated: Row.FromRow<{ readonly file: ReturnType<typeof toFile>; readonly previous: string | null }> = (row) => ({
  file: toFile(row),
  previous: Row.orNull(Row.text, row, "previous_blob_id")
})

const replace = Effect.fnUntraced(function* (
  sql: SqlClient,
  bucket: BucketRef,
  fileId: string,
  content: Content,
  condition: Precondition,
  sweepAt: number
) {
  const file: Selector = { _tag: "Id", id: fileId }
  const storedAt = millis(content.storedAt)
  // The row's own lock orders concurrent changes: each sees the blob of the one before as its previous one.
  const changed = yield* sql`UPDATE file SET previous_blob_id = blob_id, blob_id = ${content.blobId},
      version = version + 1, size = ${content.size}, sha256 = ${content.sha256}, etag = ${content.etag},
      content_type = ${content.contentType}, type = ${content.type}, stored_at = ${storedAt}, updated_at = ${storedAt}
    WHERE ${named(sql, bucket, file)}${where(sql, condition)}
    RETURNING ${sql.literal(columns)}, previous_blob_id`.pipe(Row.first(updated))
  if (changed._tag === "None") return yield* missed(sql, bucket, file, condition)

  const isNew = sql`id = ${content.blobId}`
  const moved = yield* sql`UPDATE blob SET
      state = CASE WHEN ${isNew} THEN 'READY' ELSE 'DOOMED' END,
      due_at = CASE WHEN ${isNew} THEN NULL ELSE ${sweepAt} END,
      size = CASE WHEN ${isNew} THEN ${content.size} ELSE size END,
      sha256 = CASE WHEN ${isNew} THEN ${content.sha256} ELSE sha256 END,
      file_id = ${fileId}
    WHERE id IN (${content.blobId}, ${changed.value.previous ?? content.blobId}) AND ${inBucket(sql, bucket)}
      AND state = CASE WHEN ${isNew} THEN 'PENDING' ELSE 'READY' END
    RETURNING id`.pipe(Row.all((row) => Row.text(row, "id")))
  if (!moved.includes(content.blobId)) return yield* new UploadExpired()
  return changed.value.file
})

/** Two statements in a transaction. */
export const replaceContent = (
  sql: SqlClient,
  bucket: BucketRef,
  fileId: string,
  content: Content,
  condition: Precondition,
  sweepAt: number
) => replace(sql, bucket, fileId, content, condition, sweepAt).pipe(transaction(sql))
