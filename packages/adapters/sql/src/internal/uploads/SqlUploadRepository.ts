/**
 * The UploadRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { NotFound, QuotaExceeded } from "@holdfast/core/Errors"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import * as ContentRuleColumns from "../buckets/ContentRuleColumns.ts"
import { isOpenBucket, lockOpenBucket, openBucket } from "../buckets/OpenBucket.ts"
import { lock, millis } from "../Dialect.ts"
import { ofBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { withinLimits } from "../usage/WithinLimits.ts"
import { addPart, lockOpen, reserve } from "./AddPart.ts"
import * as Digests from "./Digests.ts"
import { join } from "./JoinUploads.ts"
import { byRef, columns, toUpload, toUploadPart } from "./UploadRow.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const missing = () => new NotFound({ resource: "upload" })

  return UploadRepository.of({
    create: (upload, maxOpen) =>
      withinLimits(sql, upload, (check) =>
        Effect.gen(function* () {
          const { tenantId } = upload
          // Uploads that are created at the same time do not see each other: a tenant may have a few more.
          const open =
            yield* sql`SELECT 1 AS one FROM upload WHERE tenant_id = ${tenantId} AND state = 'OPEN' LIMIT ${maxOpen}`
          if (open.length >= maxOpen) {
            const quota = { owner: "tenant", limit: "open uploads", maximum: maxOpen, use: open.length } as const
            return yield* new QuotaExceeded({ quota })
          }
          const expiresAt = millis(upload.expiresAt)
          const createdAt = millis(upload.createdAt)
          const rules = yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, due_at, created_at, reserved)
            SELECT ${upload.blobId}, tenant_id, id, 'PENDING', ${expiresAt}, ${createdAt}, ${upload.length ?? 0}
            FROM bucket WHERE ${isOpenBucket(sql, upload)} ${lock(sql, "FOR KEY SHARE")}
            RETURNING ${ContentRuleColumns.ofBucket(sql, upload.bucketId)}`.pipe(
            Row.first(ContentRuleColumns.read),
            (found) => NotFound.whenNone(found, new NotFound({ resource: "bucket" }))
          )
          yield* sql`INSERT INTO upload (id, tenant_id, bucket_id, blob_id, mode, terms, length, received, state, epoch, revision,
              created_at, expires_at)
            VALUES (${upload.id}, ${tenantId}, ${upload.bucketId}, ${upload.blobId}, ${upload.mode},
              ${JSON.stringify(upload.terms)}, ${upload.length}, 0, 'OPEN', 0, 0, ${createdAt}, ${expiresAt})`
          yield* check({ files: 0, bytes: upload.length ?? 0 })
          return rules
        })
      ).pipe(operation("uploads.create")),

    find: (upload) =>
      sql`SELECT ${sql.literal(columns)}, ${sql.literal(ContentRuleColumns.names)}
        FROM upload JOIN bucket ON bucket.id = upload.bucket_id
        WHERE upload.id = ${upload.uploadId} AND ${isOpenBucket(sql, upload)}`.pipe(
        Row.first((row) => ({ upload: toUpload(row), rules: ContentRuleColumns.read(row) })),
        operation("uploads.find")
      ),

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

    declareLength: (ref, length) =>
      withinLimits(sql, ref, (check) =>
        Effect.gen(function* () {
          const former = yield* lockOpen(sql, ref)
          if (former.length !== null) return former
          const upload = { ...former, length }
          yield* sql`UPDATE upload SET length = ${length} WHERE id = ${upload.id}`
          yield* check({ files: 0, bytes: yield* reserve(sql, former, upload) })
          return upload
        })
      ).pipe(operation("uploads.declareLength")),

    addPart: (terms) => addPart(sql, terms).pipe(operation("uploads.addPart")),

    join: (terms) => join(sql, terms).pipe(operation("uploads.join")),

    listParts: ({ after, blobId, limit }) =>
      sql`SELECT blob_part.number, blob_part.blob_id, blob_part.size, blob.sha256, blob_part.tag, blob_part.created_at
        FROM blob_part JOIN blob ON blob.id = blob_part.blob_id
        WHERE blob_part.content_id = ${blobId} AND blob_part.number > ${after ?? 0}
        ORDER BY blob_part.number LIMIT ${limit}`.pipe(Row.all(toUploadPart), operation("uploads.listParts")),

    abort: (upload) =>
      Effect.gen(function* () {
        yield* lockOpenBucket(sql, upload)
        const [blobId] = yield* sql`UPDATE upload SET state = 'DEAD' WHERE ${byRef(sql, upload)} AND state = 'OPEN'
          RETURNING blob_id`.pipe(Row.all((row) => Row.text(row, "blob_id")))
        if (blobId === undefined) return yield* missing()
        yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0
          WHERE id = ${blobId} AND ${ofBucket(sql, upload)} AND state = 'PENDING'`
      }).pipe(transaction(sql), operation("uploads.abort")),

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
