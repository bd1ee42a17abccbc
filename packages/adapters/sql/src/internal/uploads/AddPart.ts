/**
 * Makes a stored blob a part of an upload.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import { UploadExpired } from "@holdfast/core/files/FileErrors"
import { reservesLength, shareUseOf, type StoredUpload } from "@holdfast/core/uploads/Upload"
import { UploadSuperseded } from "@holdfast/core/uploads/UploadErrors"
import type { UploadRef, UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import { lockOpenBucket } from "../buckets/OpenBucket.ts"
import { lock, millis } from "../Dialect.ts"
import { ofBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import * as ShareRoom from "../shares/ShareRoom.ts"
import { type Check, withinLimits } from "../usage/WithinLimits.ts"
import { byRef, columns, toUpload } from "./UploadRow.ts"

type Terms = Parameters<UploadRepository["Service"]["addPart"]>[0]

const missing = new NotFound({ resource: "upload" })

/** Locks the bucket of an upload, then the upload. Requests that change the same upload wait for each other here. */
export const lockOpen = (sql: SqlClient, upload: UploadRef) =>
  Effect.andThen(
    lockOpenBucket(sql, upload),
    NotFound.whenNone(
      sql`SELECT ${sql.literal(columns)} FROM upload WHERE ${byRef(sql, upload)} AND state = 'OPEN'
        ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(Row.first(toUpload)),
      missing
    )
  )

/** The bytes that a new upload reserves. Those of an upload of partial ones are reserved by them. */
export const bytesToReserve = ({ length, terms }: StoredUpload): number =>
  terms.partials === undefined ? (length ?? 0) : 0

/** The bytes that an upload reserves. */
const reservedBytes = (upload: StoredUpload): number =>
  upload.terms.partials !== undefined
    ? 0
    : reservesLength(upload)
      ? Math.max(upload.length ?? 0, upload.received)
      : upload.received

/**
 * Returns the bytes of the content that an upload replaces, which need no room. The file may have been removed, moved or replaced by
 * another one since the upload was created: then none.
 */
export const replacedBytes = (sql: SqlClient, { replacedFileId, terms, ...bucket }: StoredUpload) => {
  if (replacedFileId === null) return Effect.succeed(0)
  const { name, path = "/" } = terms.description
  return sql`SELECT COALESCE(size, 0) AS size FROM file
    WHERE id = ${replacedFileId} AND ${ofBucket(sql, bucket)} AND path = ${path} AND name = ${name}`.pipe(
    Row.first((row) => Row.int(row, "size")),
    Effect.map(Option.getOrElse(() => 0))
  )
}

/** Returns the bytes that an upload reserves so far. Only what it replaces can change without the upload. */
const reservedSoFar = (sql: SqlClient, upload: StoredUpload) =>
  upload.replacedFileId === null
    ? Effect.succeed(reservedBytes(upload))
    : sql`SELECT COALESCE(reserved, 0) AS reserved FROM blob WHERE id = ${upload.blobId}`.pipe(
        Row.first((row) => Row.int(row, "reserved")),
        Effect.map(Option.getOrElse(() => 0))
      )

const setReserved = (sql: SqlClient, upload: StoredUpload, bytes: number) =>
  sql`UPDATE blob SET reserved = ${bytes}, due_at = ${millis(upload.expiresAt)}
    WHERE id = ${upload.blobId} AND ${ofBucket(sql, upload)} AND state = 'PENDING' RETURNING id`.pipe(
    Row.orFail(() => missing)
  )

/**
 * Prolongs the blob of an upload, and reserves bytes, as far as they exceed those that the upload replaces. Returns by how much the
 * reservation grows. Fails with `NotFound` when the blob has been doomed: the upload has expired, or its bucket was removed.
 */
const reserveBytes = Effect.fnUntraced(function* (
  sql: SqlClient,
  former: StoredUpload,
  upload: StoredUpload,
  bytes: number
) {
  const reserved = Math.max(0, bytes - (yield* replacedBytes(sql, upload)))
  const before = yield* reservedSoFar(sql, former)
  yield* setReserved(sql, upload, reserved)
  return reserved - before
})

/** Reserves the declared length of an upload. Returns by how much the reservation grows. Fails as `reserveBytes`. */
export const reserveLength = (sql: SqlClient, former: StoredUpload, upload: StoredUpload) =>
  reserveBytes(sql, former, upload, Math.max(upload.length ?? 0, upload.received))

/** Checks that the declared length, which is reserved, has room. Then the reservation is what the upload reserves at other times. */
export const checkLength = Effect.fnUntraced(function* (
  sql: SqlClient,
  upload: StoredUpload,
  growth: number,
  check: Check
) {
  yield* check({ files: 0, bytes: growth })
  if (upload.length !== null && !reservesLength(upload)) {
    yield* reserveBytes(sql, upload, upload, reservedBytes(upload))
  }
})

/** Records what a changed upload counts for its share, and fails unless the share has room for it. Runs after the check of usage. */
export const recordShareUse = Effect.fnUntraced(function* (
  sql: SqlClient,
  former: StoredUpload,
  upload: StoredUpload,
  now: number
) {
  const { shareId } = upload.terms
  const { bytes } = shareUseOf(upload)
  if (shareId === undefined || bytes === shareUseOf(former).bytes) return
  yield* sql`UPDATE upload SET share_bytes = ${bytes} WHERE id = ${upload.id}`
  yield* ShareRoom.checkOpen(sql, shareId, now)
})

const isAt = (upload: StoredUpload, at: Terms["at"]): boolean =>
  "number" in at || (upload.epoch === at.epoch && upload.received === at.offset)

export const addPart = (sql: SqlClient, terms: Terms) =>
  withinLimits(sql, terms.upload, (check) => addWithin(sql, terms, check))

const addWithin = Effect.fnUntraced(function* (
  sql: SqlClient,
  { at, expiresAt, now, part, upload: ref }: Terms,
  check: Check
) {
  const former = yield* lockOpen(sql, ref)
  if (former.expiresAt.epochMilliseconds <= now.epochMilliseconds) return yield* missing
  if (!isAt(former, at)) return yield* new UploadSuperseded()
  const number = "number" in at ? at.number : former.revision + 1
  const [replaced] = yield* sql`SELECT blob_id, size FROM blob_part
        WHERE content_id = ${former.blobId} AND number = ${number}`.pipe(
    Row.all((row) => ({ blobId: Row.text(row, "blob_id"), size: Row.int(row, "size") }))
  )
  const upload = {
    ...former,
    received: former.received + part.size - (replaced?.size ?? 0),
    revision: former.revision + 1,
    expiresAt
  }
  yield* sql`UPDATE upload SET received = ${upload.received}, revision = ${upload.revision},
        expires_at = ${millis(expiresAt)} WHERE id = ${upload.id}`
  const growth = yield* reserveBytes(sql, former, upload, reservedBytes(upload))
  const reserved =
    yield* sql`UPDATE blob SET state = 'READY', due_at = NULL, size = ${part.size}, sha256 = ${part.sha256}
        WHERE id = ${part.blobId} AND ${ofBucket(sql, ref)} AND state = 'PENDING'
        RETURNING COALESCE(reserved, 0) AS reserved`.pipe(Row.first((row) => Row.int(row, "reserved")))
  if (reserved._tag === "None") return yield* new UploadExpired()
  yield* sql`INSERT INTO blob_part (content_id, number, start, size, blob_id, tag, created_at)
        VALUES (${upload.blobId}, ${number}, ${"number" in at ? null : at.offset}, ${part.size}, ${part.blobId}, ${part.tag},
          ${millis(now)})
        ON CONFLICT (content_id, number) DO UPDATE SET size = excluded.size, blob_id = excluded.blob_id, tag = excluded.tag,
          created_at = excluded.created_at`
  if (replaced !== undefined) {
    yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0 WHERE id = ${replaced.blobId} AND state = 'READY'`
  }
  yield* check({ files: 0, bytes: growth - reserved.value })
  yield* recordShareUse(sql, former, upload, millis(now))
  return upload
})
