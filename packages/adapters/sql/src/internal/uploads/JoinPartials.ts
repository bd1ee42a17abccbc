/**
 * Makes the parts of partial uploads those of another upload, inside the transaction that completes it: until then they are parts of
 * the partial uploads, whatever ends the request. No byte is copied: the rows of the parts change their owner.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { NotFound } from "@holdfast/core/Errors"
import { UploadExpired } from "@holdfast/core/files/FileErrors"
import type { Assembly } from "@holdfast/core/files/FileRepository"
import type { StoredUpload } from "@holdfast/core/uploads/Upload"
import { ofBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { lockOpen } from "./AddPart.ts"

const missing = () => new NotFound({ resource: "upload" })

type Partials = NonNullable<Assembly["partials"]>

/**
 * Locks partial uploads that are as they were when their parts were listed. In the order of their ids: transactions that lock the same
 * ones do not wait for each other in a circle.
 */
const lockAll = Effect.fnUntraced(function* (sql: SqlClient, bucket: BucketRef, { at }: Assembly, partials: Partials) {
  const locked = new Map<string, StoredUpload>()
  for (const { id, parts } of partials.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const partial = yield* lockOpen(sql, { ...bucket, uploadId: id })
    if (partial.expiresAt.epochMilliseconds <= at.epochMilliseconds) return yield* missing()
    if (partial.revision !== parts) return yield* new UploadExpired()
    locked.set(id, partial)
  }
  return locked
})

export const joinPartials = Effect.fnUntraced(function* (
  sql: SqlClient,
  bucket: BucketRef,
  upload: Assembly,
  partials: Partials
) {
  const locked = yield* lockAll(sql, bucket, upload, partials)
  let [start, number, reserved] = [0, 0, 0]
  for (const { bytes, id, parts } of partials) {
    const partial = locked.get(id)
    if (partial === undefined) continue
    yield* sql`UPDATE blob_part SET content_id = ${upload.blobId}, number = number + ${number}, start = start + ${start}
      WHERE content_id = ${partial.blobId}`
    // The completed upload answers when the client repeats its request.
    const terms = JSON.stringify({ ...partial.terms, joinedBy: upload.uploadId })
    yield* sql`UPDATE upload SET state = 'DEAD', terms = ${terms} WHERE id = ${id}`
    reserved += yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0
      WHERE id = ${partial.blobId} AND ${ofBucket(sql, bucket)} AND state = 'PENDING'
      RETURNING COALESCE(reserved, 0) AS reserved`.pipe(
      Row.first((row) => Row.int(row, "reserved")),
      (found) => NotFound.whenNone(found, missing())
    )
    start += bytes
    number += parts
  }
  yield* sql`UPDATE blob SET reserved = ${reserved}
    WHERE id = ${upload.blobId} AND ${ofBucket(sql, bucket)} AND state = 'PENDING'`
})
