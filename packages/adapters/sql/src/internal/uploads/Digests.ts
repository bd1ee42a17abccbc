/**
 * The contents whose digest is to be computed.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import { millis, skipLocked } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"

const toParts: Row.FromRow<BlobKey.Parts> = (row) => ({
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.text(row, "bucket_id"),
  blobId: Row.text(row, "id")
})

const toId: Row.FromRow<string> = (row) => Row.text(row, "content_id")

type Digests = Pick<UploadRepository["Service"], "claimDigest" | "postponeDigest" | "recordDigest">

export const make = (sql: SqlClient): Digests => {
  const forget = (blobId: string) => sql`DELETE FROM content_digest WHERE content_id = ${blobId}`

  return {
    claimDigest: ({ leaseUntil, now }) => {
      const due = sql`SELECT content_id FROM content_digest WHERE due_at <= ${millis(now)} ORDER BY due_at, content_id LIMIT 1`
      const claim = Effect.gen(function* () {
        const [blobId] = yield* sql`UPDATE content_digest SET due_at = ${millis(leaseUntil)}
          WHERE content_id IN (${due} ${skipLocked(sql)}) RETURNING content_id`.pipe(Row.all(toId))
        if (blobId === undefined) return { found: Option.none<BlobKey.Parts>(), isLast: true }
        const found =
          yield* sql`SELECT id, tenant_id, bucket_id FROM blob WHERE id = ${blobId} AND state = 'READY'`.pipe(
            Row.first(toParts)
          )
        if (Option.isNone(found)) yield* forget(blobId)
        return { found, isLast: Option.isSome(found) }
      })
      return Effect.gen(function* () {
        // Selects before it writes: mostly no content is due, and a write on SQLite blocks all writers.
        while ((yield* due).length > 0) {
          const { found, isLast } = yield* transaction(sql)(claim)
          if (isLast) return found
        }
        return Option.none<BlobKey.Parts>()
      }).pipe(operation("uploads.claimDigest"))
    },

    postponeDigest: (blobId, dueAt) =>
      sql`UPDATE content_digest SET due_at = ${millis(dueAt)} WHERE content_id = ${blobId}`.pipe(
        Effect.asVoid,
        operation("uploads.postponeDigest")
      ),

    recordDigest: ({ blobId, sha256 }) =>
      Effect.gen(function* () {
        const files = yield* sql`UPDATE file SET sha256 = ${sha256}
          WHERE id = (SELECT file_id FROM blob WHERE id = ${blobId}) AND blob_id = ${blobId} AND composite_blob = ${blobId}
          RETURNING id, bucket_id`.pipe(
          Row.all((row) => ({ fileId: Row.text(row, "id"), bucketId: Row.text(row, "bucket_id") }))
        )
        for (const { bucketId, fileId } of files) {
          yield* sql`UPDATE mirror_task SET due_at = 0 WHERE file_id = ${fileId} AND done < wanted AND lease IS NULL
            AND mirror_id IN (SELECT id FROM mirror WHERE bucket_id = ${bucketId})`
        }
        yield* forget(blobId)
      }).pipe(transaction(sql), operation("uploads.recordDigest"))
  }
}
