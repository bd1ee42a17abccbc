/**
 * Requests a conversion.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import { TooManyConversions } from "@holdfast/core/conversions/StreamErrors"
import type { ConversionRequest } from "@holdfast/core/conversions/ConversionRepository"
import { lock, millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"
import { conversionEvent } from "./ConversionEvents.ts"
import { columns, toConversion } from "./ConversionRow.ts"
import { hasPending } from "./NextConversion.ts"

const missing = new NotFound({ resource: "file" })

/**
 * Locks the content's blob: it stays READY, and is not forgotten, until the conversion is inserted. Locks the tenant before, so
 * that requests that arrive at once do not exceed the limit of pending conversions together.
 */
export const request = (
  sql: SqlClient,
  { blobId, bucket, fileId, format, id, maxPending, mode, now }: ConversionRequest
) =>
  Effect.gen(function* () {
    yield* sql`SELECT id FROM tenant WHERE id = ${bucket.tenantId} ${lock(sql, "FOR NO KEY UPDATE")}`
    const source = yield* sql`SELECT id FROM blob
      WHERE id = ${blobId} AND ${inBucket(sql, bucket)} AND file_id = ${fileId} AND state = 'READY'
      ${lock(sql, "FOR NO KEY UPDATE")}`
    if (source.length === 0) return yield* missing
    const found = sql`SELECT ${sql.literal(columns)} FROM conversion
      WHERE blob_id = ${blobId} AND format = ${format} AND ${inBucket(sql, bucket)}`.pipe(Row.first(toConversion))
    const existing = yield* found
    if (Option.isSome(existing) && existing.value.state !== "FAILED") return existing.value
    if (yield* hasPending(sql, bucket.tenantId, maxPending)) return yield* new TooManyConversions({ limit: maxPending })
    yield* sql`INSERT INTO conversion (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress,
        attempt, tries, due_at)
      VALUES (${id}, ${bucket.tenantId}, ${bucket.bucketId}, ${fileId}, ${blobId}, ${format},
        ${mode}, 'QUEUED', 0, 0, 0, ${millis(now)})
      ON CONFLICT (blob_id, format) DO UPDATE SET state = 'QUEUED', mode = excluded.mode, progress = 0,
        presentation = NULL, fault_code = NULL, fault_detail = NULL, tries = 0, interruptions = 0,
        due_at = excluded.due_at, started_at = NULL, finished_at = NULL
      WHERE conversion.state = 'FAILED'`
    const stored = yield* found
    if (Option.isNone(stored)) return yield* missing
    const converted = { ...bucket, conversionId: stored.value.id, fileId, format }
    yield* record(sql, conversionEvent("stream.requested", converted, { mode }))
    return stored.value
  }).pipe(transaction(sql))
