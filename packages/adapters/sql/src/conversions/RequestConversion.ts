/**
 * Asks for a conversion.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Source, Wanted } from "@holdfast/core/conversions/ConversionRepository"
import { lock } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { transaction } from "../Transaction.ts"
import { columns, toConversion } from "./ConversionRow.ts"

const missing = new NotFound({ resource: "file" })

/** The content's blob is locked first: it stays READY, and so remembered, until the conversion stands. */
export const request = (sql: SqlClient, bucket: BucketRef, { blobId, fileId }: Source, wanted: Wanted, at: number) =>
  Effect.gen(function* () {
    const source = yield* sql`SELECT id FROM blob
      WHERE id = ${blobId} AND ${inBucket(sql, bucket)} AND file_id = ${fileId} AND state = 'READY'
      ${lock(sql, "FOR NO KEY UPDATE")}`
    if (source.length === 0) return yield* missing
    yield* sql`INSERT INTO conversion (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress,
        attempt, tries, due_at)
      VALUES (${wanted.id}, ${bucket.tenantId}, ${bucket.bucketId}, ${fileId}, ${blobId}, ${wanted.format},
        ${wanted.mode}, 'QUEUED', 0, 0, 0, ${at})
      ON CONFLICT (blob_id, format) DO UPDATE SET state = 'QUEUED', mode = excluded.mode, progress = 0,
        presentation = NULL, fault_code = NULL, fault_detail = NULL, tries = 0, due_at = excluded.due_at,
        started_at = NULL, finished_at = NULL
      WHERE conversion.state = 'FAILED'`
    const stored = yield* sql`SELECT ${sql.literal(columns)} FROM conversion
      WHERE blob_id = ${blobId} AND format = ${wanted.format} AND ${inBucket(sql, bucket)}`.pipe(
      Row.first(toConversion)
    )
    return Option.isNone(stored) ? yield* missing : stored.value
  }).pipe(transaction(sql))
