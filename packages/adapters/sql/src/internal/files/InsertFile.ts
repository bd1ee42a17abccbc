/**
 * Inserts a file.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "@holdfast/core/Errors"
import type { Content, StoredFile } from "@holdfast/core/files/File"
import { AliasTaken, FileExists, UploadExpired } from "@holdfast/core/files/FileErrors"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Assembly } from "@holdfast/core/files/FileRepository"
import { UploadShare } from "@holdfast/core/files/shares/UploadShare"
import * as ShareRoom from "../shares/ShareRoom.ts"
import * as Constraint from "../Constraint.ts"
import { lock, millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { type Check, withinLimits } from "../usage/WithinLimits.ts"
import { isOpenBucket } from "../buckets/OpenBucket.ts"
import { recorded, runAndRecord, runSingle, runWithEvent, single } from "../events/RecordEvent.ts"
import * as PreparedText from "../PreparedText.ts"
import { assemble, finishAssembly } from "../uploads/Assemble.ts"
import { fileCreated } from "./FileEvents.ts"
import { checksumText, inBucket, ofBucket } from "./FileRow.ts"

/** Maps a violation of the unique index of aliases to `AliasTaken`, with the id of the existing file. */
export const orAliasTaken = (sql: SqlClient, bucket: BucketRef, alias: string) =>
  Constraint.mapUniqueViolation({
    index: Constraint.fileAlias,
    findExisting: Effect.suspend(
      () => sql<Row.Row>`SELECT id FROM file WHERE ${inBucket(sql, bucket)} AND alias = ${alias}`
    ),
    toError: (existingId) => new AliasTaken({ existingId })
  })

/** Maps violations of the file table's unique indexes to `FileExists` and `AliasTaken`, with the id of the existing file. */
export const orFileTaken = (
  sql: SqlClient,
  bucket: BucketRef,
  { alias, name, path }: { readonly path: string | Fragment; readonly name: string | Fragment; readonly alias: string }
) => {
  const orFileExists = Constraint.mapUniqueViolation({
    index: Constraint.filePlace,
    findExisting: Effect.suspend(
      () => sql<Row.Row>`SELECT id FROM file WHERE ${inBucket(sql, bucket)} AND path = ${path} AND name = ${name}`
    ),
    toError: (existingId) => new FileExists({ existingId })
  })
  const orAlias = orAliasTaken(sql, bucket, alias)
  return <A, E, R>(self: Effect.Effect<A, E, R>) => orAlias(orFileExists(self))
}

const rowNames = [
  "tenantId",
  "bucketId",
  "id",
  "path",
  "name",
  "alias",
  "version",
  "metadata",
  "headers",
  "createdAt",
  "updatedAt",
  "blobId",
  "size",
  "sha256",
  "etag",
  "contentType",
  "type",
  "storedAt",
  "checksum"
] as const

/** Returns the statement that inserts the row for each row of a table with the columns `tenant_id` and `id` of the bucket. */
const insertFrom = (
  sql: SqlClient,
  file: Readonly<Record<(typeof rowNames)[number], string>>,
  table: Fragment
) => sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, alias, version,
        metadata, headers, created_at, updated_at, blob_id, size, sha256, etag, content_type, type, stored_at, checksum)
      SELECT ${file.id}, bucket.tenant_id, bucket.id, ${file.path}, ${file.name}, ${file.alias}, ${file.version},
        ${file.metadata}, ${file.headers}, ${file.createdAt}, ${file.updatedAt}, ${file.blobId}, ${file.size}, ${file.sha256},
        ${file.etag}, ${file.contentType}, ${file.type}, ${file.storedAt}, ${file.checksum}
      FROM ${table} RETURNING id`

const rowInsertion = PreparedText.define(rowNames, (sql, file) =>
  insertFrom(sql, file, sql`bucket WHERE ${isOpenBucket(sql, file)} ${lock(sql, "FOR KEY SHARE")}`)
)

const insertion = recorded(rowInsertion)

/** Returns the parameters of the row of a file. */
const parametersOf = (bucket: BucketRef, file: StoredFile) => {
  const { content, id, name, path, version } = file
  return {
    tenantId: bucket.tenantId,
    bucketId: bucket.bucketId,
    id,
    path,
    name,
    alias: file.alias,
    version,
    metadata: JSON.stringify(file.metadata),
    headers: JSON.stringify(file.headers),
    createdAt: millis(file.createdAt),
    updatedAt: millis(file.updatedAt),
    blobId: content && content.blobId,
    size: content && content.size,
    sha256: content && (content.sha256 ?? ""),
    etag: content && content.etag,
    contentType: content && content.contentType,
    type: content && content.type,
    storedAt: content && millis(content.storedAt),
    checksum: content && checksumText(content)
  }
}

/** Inserts the row, and writes the event. */
const insertRow = (sql: SqlClient, bucket: BucketRef, file: StoredFile) =>
  runAndRecord(sql, insertion, parametersOf(bucket, file), fileCreated(bucket, file)).pipe(
    Row.orFail(() => new NotFound({ resource: "bucket" }))
  )

const readyNames = ["tenantId", "bucketId", "fileId", "blobId", "sha256", "size"] as const

/** Makes a blob READY. The column keeps the value of the reservation, which means nothing for a READY blob. */
const setReady = (
  sql: SqlClient,
  { blobId, fileId, sha256, size, ...bucket }: Readonly<Record<(typeof readyNames)[number], string>>,
  condition: Fragment
) => sql`UPDATE blob
    SET state = 'READY', due_at = NULL, size = ${size}, sha256 = ${sha256}, file_id = ${fileId}
    WHERE id = ${blobId} AND ${ofBucket(sql, bucket)} AND state = 'PENDING'${condition}
    RETURNING COALESCE(reserved, 0) AS reserved`

const readiness = PreparedText.define(readyNames, (sql, names) => setReady(sql, names, sql.literal("")))

/**
 * Makes the blob READY, inserts the row and writes the event, by one statement that changes nothing when the bucket is removed or the blob
 * is not PENDING. It locks the bucket first, as removals do.
 */
const insertionAtOnce = single(rowNames, (sql, file, writeEvent) => {
  const { blobId, bucketId, id: fileId, sha256, size, tenantId } = file
  const ready = { tenantId, bucketId, fileId, blobId, sha256, size }
  return sql`WITH open_bucket AS (SELECT id, tenant_id FROM bucket WHERE ${isOpenBucket(sql, file)} FOR KEY SHARE),
      ready AS (${setReady(sql, ready, sql` AND EXISTS (SELECT 1 FROM open_bucket)`)}),
      inserted AS (${insertFrom(sql, file, sql`open_bucket AS bucket, ready`)}),
      recorded AS (${writeEvent({ from: "inserted" })})
    SELECT id FROM inserted`
})

/** Makes the blob READY. Returns the bytes that it had reserved; none when it is no longer PENDING. */
const makeReady = (sql: SqlClient, bucket: BucketRef, fileId: string, { blobId, sha256, size }: Content) => {
  const { bucketId, tenantId } = bucket
  return readiness
    .run(sql, { tenantId, bucketId, fileId, blobId, sha256, size })
    .pipe(Row.first((row) => Row.int(row, "reserved")))
}

/** Updates the blob first, so that an upload whose blob has expired fails without waiting for a lock on a file. */
const insertWithContent = Effect.fnUntraced(function* (
  sql: SqlClient,
  bucket: BucketRef,
  file: StoredFile,
  content: Content,
  assembly: Assembly | undefined,
  check: Check
) {
  if (assembly !== undefined) yield* assemble(sql, bucket, content, assembly)
  const reserved = yield* makeReady(sql, bucket, file.id, content)
  if (Option.isNone(reserved)) return yield* new UploadExpired()
  yield* insertRow(sql, bucket, file)
  if (assembly !== undefined) yield* finishAssembly(sql, file, assembly)
  const shareId = yield* UploadShare
  if (shareId !== undefined) {
    const now = millis(content.storedAt)
    yield* ShareRoom.countStored(sql, { shareId, bytes: content.size, now, isReserved: assembly !== undefined })
  }
  yield* check({ files: 1, bytes: content.size - reserved.value })
})

/** Inserts a file with content by one statement, or by the transaction, which determines why that statement inserted nothing. */
const insertAtOnce = <E, R>(
  sql: SqlClient,
  bucket: BucketRef,
  file: StoredFile,
  otherwise: Effect.Effect<void, E, R>
): Effect.Effect<void, E | SqlError, R> =>
  Effect.flatMap(
    runWithEvent(sql, insertionAtOnce, parametersOf(bucket, file), fileCreated(bucket, file)),
    ({ length }) => (length === 0 ? otherwise : Effect.void)
  )

/** Inserts a file, and with content makes its blob READY. */
export const insertFile = (sql: SqlClient, bucket: BucketRef, file: StoredFile, assembly?: Assembly) =>
  Effect.withFiber((fiber) => {
    const inTransaction = withinLimits(sql, bucket, (check) =>
      file.content === null
        ? Effect.andThen(insertRow(sql, bucket, file), check({ files: 1, bytes: 0 }))
        : insertWithContent(sql, bucket, file, file.content, assembly, check)
    )
    const isPlain = typeof file.content?.sha256 === "string" && assembly === undefined
    return isPlain && fiber.getRef(UploadShare) === undefined
      ? runSingle(sql, "file.created")(() => insertAtOnce(sql, bucket, file, inTransaction), inTransaction)
      : inTransaction
  }).pipe(orFileTaken(sql, bucket, { path: file.path, name: file.name, alias: file.alias ?? "" }))
