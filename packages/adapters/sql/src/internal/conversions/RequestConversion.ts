/**
 * Requests a conversion, or replaces one with a damaged segment.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import { TooManyConversions } from "@holdfast/core/conversions/StreamErrors"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import type { ConversionRepository, ConversionRequest } from "@holdfast/core/conversions/ConversionRepository"
import { lock, millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"
import { conversionEvent } from "./ConversionEvents.ts"
import { completeRemoval, removeConversion } from "./ConversionFiles.ts"
import { claimColumns, columns, toClaim, toConversion } from "./ConversionRow.ts"
import { hasPending } from "./NextConversion.ts"

type Queued = Pick<ConversionClaim, "blobId" | "bucketId" | "conversionId" | "fileId" | "format" | "mode" | "tenantId">

const missing = new NotFound({ resource: "file" })

/** Inserts a QUEUED conversion. One that FAILED becomes QUEUED again, and keeps its id. */
const queue = (
  sql: SqlClient,
  { blobId, bucketId, conversionId, fileId, format, mode, tenantId }: Queued,
  now: DateTime.Utc
) =>
  sql`INSERT INTO conversion (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress,
      attempt, tries, due_at)
    VALUES (${conversionId}, ${tenantId}, ${bucketId}, ${fileId}, ${blobId}, ${format},
      ${mode}, 'QUEUED', 0, 0, 0, ${millis(now)})
    ON CONFLICT (blob_id, format) DO UPDATE SET state = 'QUEUED', mode = excluded.mode, progress = 0,
      presentation = NULL, fault_code = NULL, fault_detail = NULL, tries = 0, interruptions = 0,
      due_at = excluded.due_at, started_at = NULL, finished_at = NULL
    WHERE conversion.state = 'FAILED'`

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
    if (maxPending === 0 || (maxPending !== null && (yield* hasPending(sql, bucket.tenantId, maxPending)))) {
      return yield* new TooManyConversions({ limit: maxPending })
    }
    yield* queue(sql, { ...bucket, conversionId: id, fileId, blobId, format, mode }, now)
    const stored = yield* found
    if (Option.isNone(stored)) return yield* missing
    const converted = { ...bucket, conversionId: stored.value.id, fileId, format }
    yield* record(sql, conversionEvent("stream.requested", converted, { mode }))
    return stored.value
  }).pipe(transaction(sql))

/** Removes the conversion that shares the files of a claimed one, and queues it again. It waits for that one, or is claimed after it. */
const replaceSharer = Effect.fnUntraced(function* (
  sql: SqlClient,
  { conversionId: ownerId }: Pick<ConversionClaim, "conversionId">,
  id: string,
  now: DateTime.Utc
) {
  const sharer = yield* sql`SELECT ${sql.literal(claimColumns)}
    FROM conversion WHERE shares_id = ${ownerId} ${lock(sql, "FOR UPDATE")}`.pipe(Row.first(toClaim))
  if (Option.isNone(sharer)) return
  yield* sql`DELETE FROM conversion WHERE id = ${sharer.value.conversionId}`
  const conversion = { ...sharer.value, conversionId: id }
  yield* queue(sql, conversion, now)
  yield* record(sql, conversionEvent("stream.requested", conversion, { mode: conversion.mode }))
})

/** The update locks the row, so that one of several processes replaces the conversion. */
export const replaceDamaged = (
  sql: SqlClient,
  { blobId, id, now, sharerId, sweepAt }: Parameters<ConversionRepository["Service"]["replaceDamaged"]>[0]
) =>
  Effect.gen(function* () {
    const replaced = yield* sql`UPDATE conversion SET attempt = attempt + 1
      WHERE state = 'READY' AND id IN (SELECT conversion_id FROM conversion_file WHERE blob_id = ${blobId})
      RETURNING ${sql.literal(claimColumns)}`.pipe(Row.first(toClaim))
    if (Option.isNone(replaced)) return Option.none()
    const { conversionId: oldId, ...old } = replaced.value
    yield* replaceSharer(sql, replaced.value, sharerId, now)
    const rest = yield* removeConversion(sql, oldId, millis(sweepAt))
    const conversion = { ...old, conversionId: id }
    yield* queue(sql, conversion, now)
    yield* record(sql, conversionEvent("stream.requested", conversion, { mode: old.mode }))
    return Option.some(rest)
  }).pipe(transaction(sql), Effect.flatMap(completeRemoval))
