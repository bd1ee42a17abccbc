/**
 * Completes an upload in parts, inside the transaction that makes its parts the content of a file.
 *
 * The rows of the parts stay as they are. So the transaction is short, also with 10,000 parts.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { NotFound } from "@holdfast/core/Errors"
import type { Content, StoredFile } from "@holdfast/core/files/File"
import { UploadExpired } from "@holdfast/core/files/FileErrors"
import type { Assembly } from "@holdfast/core/files/FileRepository"
import { lockOpenBucket } from "../buckets/OpenBucket.ts"
import { among, millis } from "../Dialect.ts"
import { ofBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { joinPartials } from "./JoinPartials.ts"

/** Returns the list of numbers as a subquery with one parameter. */
const inNumbers = (sql: SqlClient, numbers: ReadonlyArray<number>) =>
  sql.onDialectOrElse({
    pg: () =>
      sql`SELECT CAST(value AS bigint) FROM jsonb_array_elements_text(CAST(${JSON.stringify(numbers)} AS jsonb))`,
    orElse: () => sql`SELECT value FROM json_each(${JSON.stringify(numbers)})`
  })

/** The only part takes over from the upload's blob: the lease, and the reservation. The content is then a plain blob. */
const replaceByPart = Effect.fnUntraced(function* (
  sql: SqlClient,
  bucket: BucketRef,
  { blobId }: Content,
  upload: Assembly
) {
  const own = sql`id = ${upload.blobId} AND ${ofBucket(sql, bucket)}`
  yield* sql`DELETE FROM blob_part WHERE content_id = ${upload.blobId} AND blob_id = ${blobId}`
  yield* sql`UPDATE blob SET state = 'PENDING', due_at = (SELECT due_at FROM blob WHERE ${own}),
      reserved = (SELECT reserved FROM blob WHERE ${own})
    WHERE id = ${blobId} AND ${ofBucket(sql, bucket)} AND state = 'READY'`
  yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0 WHERE ${own} AND state = 'PENDING' RETURNING id`.pipe(
    Row.orFail(() => new UploadExpired())
  )
})

/** Sets where each part begins, dooms the parts that are not listed, and records the number of the parts. */
const joinParts = Effect.fnUntraced(function* (sql: SqlClient, { blobId }: Content, { numbers }: Assembly) {
  const ofContent = sql`content_id = ${blobId}`
  const isListed = sql`number IN (${inNumbers(sql, numbers)})`
  const unlisted = yield* sql`DELETE FROM blob_part WHERE ${ofContent} AND NOT (${isListed}) RETURNING blob_id`.pipe(
    Row.all((row) => Row.text(row, "blob_id"))
  )
  if (unlisted.length > 0) {
    yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0 WHERE ${among(sql, "id", unlisted)} AND state = 'READY'`
  }
  // An upload by appends has set them already.
  yield* sql`UPDATE blob_part SET start = placed.start FROM (
      SELECT number, CAST(SUM(size) OVER (ORDER BY number) AS bigint) - size AS start FROM blob_part WHERE ${ofContent}) AS placed
    WHERE blob_part.content_id = ${blobId} AND blob_part.number = placed.number AND blob_part.start IS NULL`
  yield* sql`UPDATE blob SET parts = ${numbers.length} WHERE id = ${blobId}`
  yield* sql`INSERT INTO content_digest (content_id, due_at) VALUES (${blobId}, 0)`
})

/** Makes the content's blob of the parts. It stays PENDING, with the reservation of the upload. */
export const assemble = Effect.fnUntraced(function* (
  sql: SqlClient,
  bucket: BucketRef,
  content: Content,
  upload: Assembly
) {
  yield* lockOpenBucket(sql, bucket)
  const own = sql`id = ${upload.uploadId} AND ${ofBucket(sql, bucket)} AND state = 'OPEN'`
  const done = yield* sql`UPDATE upload SET state = 'DONE'
    WHERE ${own} AND revision = ${upload.revision} AND expires_at > ${millis(upload.at)} RETURNING id`
  if (done.length === 0) {
    const open = yield* sql`SELECT id FROM upload WHERE ${own} AND expires_at > ${millis(upload.at)}`
    return yield* open.length === 0 ? new NotFound({ resource: "upload" }) : new UploadExpired()
  }
  if (upload.partials !== undefined) yield* joinPartials(sql, bucket, upload, upload.partials)
  yield* content.isComposite === true ? joinParts(sql, content, upload) : replaceByPart(sql, bucket, content, upload)
})

/** Marks the file's content as composite where it is, and records the answer. */
export const finishAssembly = Effect.fnUntraced(function* (sql: SqlClient, file: StoredFile, upload: Assembly) {
  yield* sql`UPDATE file SET composite_blob = ${upload.blobId} WHERE id = ${file.id} AND blob_id = ${upload.blobId}`
  yield* sql`UPDATE upload SET answer = ${upload.answer(file)} WHERE id = ${upload.uploadId}`
})
