/**
 * Stores a file.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "@holdfast/core/Errors"
import type { Content, StoredFile } from "@holdfast/core/files/File"
import { AliasTaken, FileExists, UploadExpired } from "@holdfast/core/files/FileErrors"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import * as Constraint from "../Constraint.ts"
import { millis } from "../Dialect.ts"
import { orTaken } from "../Existing.ts"
import { transaction } from "../Transaction.ts"
import { inBucket } from "./FileRow.ts"

/** A violation of a file's unique indexes, told with the file that stands in the way. */
export const orFileTaken = (
  sql: SqlClient,
  bucket: BucketRef,
  { alias, name, path }: { readonly path: string | Fragment; readonly name: string | Fragment; readonly alias: string }
) => {
  const orExists = orTaken(
    Constraint.filePlace,
    sql`SELECT id FROM file WHERE ${inBucket(sql, bucket)} AND path = ${path} AND name = ${name}`,
    (existingId) => new FileExists({ existingId })
  )
  const orAliasTaken = orTaken(
    Constraint.fileAlias,
    sql`SELECT id FROM file WHERE ${inBucket(sql, bucket)} AND alias = ${alias}`,
    (existingId) => new AliasTaken({ existingId })
  )
  return <A, E, R>(self: Effect.Effect<A, E, R>) => orAliasTaken(orExists(self))
}

const insertRow = (sql: SqlClient, bucket: BucketRef, file: StoredFile) => {
  const { content } = file
  return sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, alias, version, metadata, headers,
      created_at, updated_at, blob_id, size, sha256, etag, content_type, type, stored_at)
    VALUES (${file.id}, ${bucket.tenantId}, ${bucket.bucketId}, ${file.path}, ${file.name}, ${file.alias},
      ${file.version}, ${JSON.stringify(file.metadata)}, ${JSON.stringify(file.headers)},
      ${millis(file.createdAt)}, ${millis(file.updatedAt)}, ${content?.blobId}, ${content?.size}, ${content?.sha256},
      ${content?.etag}, ${content?.contentType}, ${content?.type}, ${content ? millis(content.storedAt) : null})`
}

/** The blob first: an upload that has lost its blob waits for nobody's lock on a file. */
const insertReady = Effect.fnUntraced(function* (
  sql: SqlClient,
  bucket: BucketRef,
  file: StoredFile,
  content: Content
) {
  const ready = yield* sql`UPDATE blob
    SET state = 'READY', due_at = NULL, size = ${content.size}, sha256 = ${content.sha256}, file_id = ${file.id}
    WHERE id = ${content.blobId} AND ${inBucket(sql, bucket)} AND state = 'PENDING' RETURNING id`
  if (ready.length === 0) return yield* new UploadExpired()
  yield* insertRow(sql, bucket, file)
})

/** Stores a file: one statement without content, two in a transaction with it. */
export const insertFile = (sql: SqlClient, bucket: BucketRef, file: StoredFile) =>
  (file.content === null
    ? insertRow(sql, bucket, file)
    : insertReady(sql, bucket, file, file.content).pipe(transaction(sql))
  ).pipe(
    Constraint.orElseFail(Constraint.isForeignKey, () => new NotFound({ resource: "bucket" })),
    orFileTaken(sql, bucket, { path: file.path, name: file.name, alias: file.alias ?? "" }),
    Effect.asVoid
  )
