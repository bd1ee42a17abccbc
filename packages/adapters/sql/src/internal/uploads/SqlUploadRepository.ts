/**
 * The UploadRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { NotFound, QuotaExceeded } from "@holdfast/core/Errors"
import { shareUseOf, type StoredUpload } from "@holdfast/core/uploads/Upload"
import { type OpenLimits, type UploadRef, UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import * as ContentRuleColumns from "../buckets/ContentRuleColumns.ts"
import { isOpenBucket, lockOpenBucket, openBucket } from "../buckets/OpenBucket.ts"
import { lock, millis, unplannedText } from "../Dialect.ts"
import { ofBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import * as ShareRoom from "../shares/ShareRoom.ts"
import { type Check, withinLimits } from "../usage/WithinLimits.ts"
import {
  addPart,
  bytesToReserve,
  checkLength,
  lockOpen,
  recordShareUse,
  replacedBytes,
  reserveLength
} from "./AddPart.ts"
import * as Digests from "./Digests.ts"
import { byRef, columns, toUpload, toUploadPart } from "./UploadRow.ts"

const missingBucket = new NotFound({ resource: "bucket" })

/** Fails when there are as many open uploads as there may be. Those that are created at the same time do not see each other. */
const checkOpen = Effect.fnUntraced(function* (
  sql: SqlClient,
  { client, tenantId, terms: { link } }: StoredUpload,
  { maxOfLink, maxOpen }: OpenLimits
) {
  const isOpen = sql`tenant_id = ${unplannedText(sql, tenantId)} AND state = 'OPEN'`
  const check = (limit: string, maximum: number, use: number) =>
    use < maximum ? Effect.void : Effect.fail(new QuotaExceeded({ quota: { owner: "tenant", limit, maximum, use } }))
  const open = yield* sql`SELECT 1 AS one FROM upload WHERE ${isOpen} LIMIT ${maxOpen}`
  yield* check("open uploads", maxOpen, open.length)
  if (link === undefined) return
  const clients = yield* sql`SELECT client FROM upload WHERE ${isOpen} AND link = ${link} LIMIT ${maxOfLink}`.pipe(
    Row.all((row) => Row.orNull(Row.text, row, "client"))
  )
  yield* check("uploadsPerLink", maxOfLink, clients.length)
  if (client === null) return
  const own = clients.filter((other) => other === client).length
  yield* check("uploadsPerClient", maxOfLink - clients.length, own)
})

/**
 * Returns the file whose content a new upload replaces; null when another open upload has the same. Locks the file, so that of two new
 * uploads one has it; ahead of the counters of usage, as a change of the file does.
 */
const claimReplaced = Effect.fnUntraced(function* (sql: SqlClient, upload: StoredUpload) {
  const { createdAt, replacedFileId } = upload
  if (replacedFileId === null) return null
  yield* lockOpenBucket(sql, upload)
  yield* sql`SELECT id FROM file WHERE id = ${replacedFileId} AND ${ofBucket(sql, upload)} ${lock(sql, "FOR NO KEY UPDATE")}`
  const others = yield* sql`SELECT id FROM upload WHERE replaced_file_id = ${replacedFileId} AND state = 'OPEN'
    AND expires_at > ${millis(createdAt)} LIMIT 1`
  return others.length === 0 ? replacedFileId : null
})

const createWithin = Effect.fnUntraced(function* (
  sql: SqlClient,
  wanted: StoredUpload,
  most: OpenLimits,
  check: Check
) {
  const { tenantId } = wanted
  const { link = null, shareId } = wanted.terms
  yield* checkOpen(sql, wanted, most)
  const upload = { ...wanted, replacedFileId: yield* claimReplaced(sql, wanted) }
  const expiresAt = millis(upload.expiresAt)
  const createdAt = millis(upload.createdAt)
  const bytes = Math.max(0, bytesToReserve(upload) - (yield* replacedBytes(sql, upload)))
  const use = shareId === undefined ? { files: null, bytes: null } : shareUseOf(upload)
  const rules = yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, due_at, created_at, reserved)
    SELECT ${upload.blobId}, tenant_id, id, 'PENDING', ${expiresAt}, ${createdAt}, ${bytes}
    FROM bucket WHERE ${isOpenBucket(sql, upload)} ${lock(sql, "FOR KEY SHARE")}
    RETURNING ${ContentRuleColumns.ofBucket(sql, upload.bucketId)}`.pipe(Row.first(ContentRuleColumns.read), (found) =>
    NotFound.whenNone(found, missingBucket)
  )
  yield* sql`INSERT INTO upload (id, tenant_id, bucket_id, blob_id, mode, terms, length, received, state, epoch, revision,
      created_at, expires_at, link, replaced_file_id, share_id, share_files, share_bytes, client)
    VALUES (${upload.id}, ${tenantId}, ${upload.bucketId}, ${upload.blobId}, ${upload.mode},
      ${JSON.stringify(upload.terms)}, ${upload.length}, ${upload.received}, 'OPEN', 0, 0, ${createdAt}, ${expiresAt}, ${link},
      ${upload.replacedFileId}, ${shareId ?? null}, ${use.files}, ${use.bytes}, ${upload.client})`
  yield* checkLength(sql, upload, bytes, check)
  if (shareId !== undefined) yield* ShareRoom.checkOpen(sql, shareId, createdAt)
  return rules
})

const declareWithin = Effect.fnUntraced(function* (
  sql: SqlClient,
  ref: UploadRef,
  { length, now }: Parameters<UploadRepository["Service"]["declareLength"]>[1],
  check: Check
) {
  const former = yield* lockOpen(sql, ref)
  if (former.length !== null) return former
  const upload = { ...former, length }
  yield* sql`UPDATE upload SET length = ${length} WHERE id = ${upload.id}`
  yield* checkLength(sql, upload, yield* reserveLength(sql, former, upload), check)
  yield* recordShareUse(sql, former, upload, millis(now))
  return upload
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const missing = () => new NotFound({ resource: "upload" })

  return UploadRepository.of({
    create: (wanted, most) =>
      withinLimits(sql, wanted, (check) => createWithin(sql, wanted, most, check)).pipe(operation("uploads.create")),

    find: (upload) =>
      sql`SELECT ${sql.literal(columns)}, ${sql.literal(ContentRuleColumns.names)}
        FROM upload JOIN bucket ON bucket.id = upload.bucket_id
        WHERE upload.id = ${upload.uploadId} AND ${isOpenBucket(sql, upload)}`.pipe(
        Row.first((row) => ({ upload: toUpload(row), rules: ContentRuleColumns.read(row) })),
        operation("uploads.find")
      ),

    replacedBytes: (upload) => replacedBytes(sql, upload).pipe(operation("uploads.replacedBytes")),

    list: ({ after, bucket, limit, now }) =>
      sql`SELECT ${sql.literal(columns)} FROM upload WHERE bucket_id = ${openBucket(sql, bucket)} AND state = 'OPEN'
        AND expires_at > ${millis(now)} AND id > ${after ?? ""} ORDER BY id LIMIT ${limit}`.pipe(
        Row.all(toUpload),
        operation("uploads.list")
      ),

    takeOver: (upload, now) =>
      sql`UPDATE upload SET epoch = epoch + 1
        WHERE ${byRef(sql, upload)} AND state = 'OPEN' AND expires_at > ${millis(now)}
          AND bucket_id = ${openBucket(sql, upload)}
        RETURNING ${sql.literal(columns)}`.pipe(Row.first(toUpload), operation("uploads.takeOver")),

    prolong: Effect.fnUntraced(
      function* ({ expiresAt, upload }) {
        const { blobId, id } = yield* lockOpen(sql, upload)
        yield* sql`UPDATE upload SET expires_at = ${millis(expiresAt)} WHERE id = ${id}`
        yield* sql`UPDATE blob SET due_at = ${millis(expiresAt)}
          WHERE id = ${blobId} AND ${ofBucket(sql, upload)} AND state = 'PENDING' RETURNING id`.pipe(
          Row.orFail(missing)
        )
      },
      transaction(sql),
      operation("uploads.prolong")
    ),

    declareLength: (ref, declared) =>
      withinLimits(sql, ref, (check) => declareWithin(sql, ref, declared, check)).pipe(
        operation("uploads.declareLength")
      ),

    addPart: (terms) => addPart(sql, terms).pipe(operation("uploads.addPart")),

    listParts: ({ after, blobId, limit }) =>
      sql`SELECT blob_part.number, blob_part.blob_id, blob_part.size, blob.sha256, blob_part.tag, blob_part.created_at
        FROM blob_part JOIN blob ON blob.id = blob_part.blob_id
        WHERE blob_part.content_id = ${blobId} AND blob_part.number > ${after ?? 0}
        ORDER BY blob_part.number LIMIT ${limit}`.pipe(Row.all(toUploadPart), operation("uploads.listParts")),

    abort: Effect.fnUntraced(
      function* (upload) {
        yield* lockOpenBucket(sql, upload)
        const ended = yield* sql`UPDATE upload SET state = 'DEAD' WHERE ${byRef(sql, upload)} AND state = 'OPEN'
          RETURNING ${sql.literal(columns)}`.pipe(Row.first(toUpload), (found) => NotFound.whenNone(found, missing()))
        yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0
          WHERE id = ${ended.blobId} AND ${ofBucket(sql, upload)} AND state = 'PENDING'`
      },
      transaction(sql),
      operation("uploads.abort")
    ),

    ...Digests.make(sql),

    deleteExpired: ({ limit, now }) =>
      sql`SELECT id FROM upload WHERE expires_at <= ${millis(now)} ORDER BY expires_at LIMIT ${limit}`.pipe(
        // Selects before it writes: mostly no upload has expired, and a write on SQLite blocks all writers.
        Effect.flatMap((rows) =>
          rows.length === 0
            ? Effect.succeed(0)
            : Effect.map(
                sql`DELETE FROM upload WHERE expires_at <= ${millis(now)} AND id IN (SELECT id FROM upload
                  WHERE expires_at <= ${millis(now)} ORDER BY expires_at LIMIT ${limit}) RETURNING id`,
                (deleted) => deleted.length
              )
        ),
        operation("uploads.deleteExpired")
      )
  })
})

export const layer: Layer.Layer<UploadRepository, never, SqlClient> = Layer.effect(UploadRepository, make)
