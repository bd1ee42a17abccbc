/**
 * Conversions, in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import * as Reads from "../Reads.ts"
import * as Row from "../Row.ts"
import { operation } from "../SqlFailure.ts"
import { transaction } from "../Transaction.ts"
import { backlog } from "./QueueDepth.ts"
import * as ConversionClaims from "./ConversionClaims.ts"
import { columns, toConversion, toMode, toPresentation } from "./ConversionRow.ts"
import { look } from "./FindStreamFile.ts"
import * as PublishSegments from "./PublishSegments.ts"
import { request } from "./RequestConversion.ts"
import { dropFiles } from "./StreamRows.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = yield* Reads.make(sql)

  return ConversionRepository.of({
    request: (bucket, source, wanted, at) =>
      request(sql, bucket, source, wanted, millis(at)).pipe(operation("conversions.request")),

    ofContent: (bucket, blobId) =>
      read(
        (sql) => sql`SELECT ${sql.literal(columns)} FROM conversion
        WHERE blob_id = ${blobId} AND ${inBucket(sql, bucket)} ORDER BY format`
      ).pipe(Row.all(toConversion), operation("conversions.ofContent")),

    findStreamFile: (bucket, selector, format, name) =>
      look(read, bucket, selector, format, name).pipe(operation("conversions.look")),

    remove: (bucket, blobId, format, { sweepAt }) =>
      Effect.gen(function* () {
        // An update locks the row: a worker that publishes at this moment comes before it, or finds its claim lost.
        const removed = yield* sql`UPDATE conversion SET attempt = attempt + 1
          WHERE blob_id = ${blobId} AND format = ${format} AND ${inBucket(sql, bucket)} RETURNING id`.pipe(
          Row.first((row) => Row.text(row, "id"))
        )
        if (Option.isNone(removed)) return false
        yield* dropFiles(sql, [removed.value], millis(sweepAt))
        yield* sql`DELETE FROM conversion WHERE id = ${removed.value}`
        return true
      }).pipe(transaction(sql), operation("conversions.remove")),

    claim: (at, leaseUntil, { sweepAt }) =>
      ConversionClaims.take(sql, millis(at), millis(leaseUntil), millis(sweepAt)).pipe(operation("conversions.claim")),

    renew: (claim, leaseUntil) =>
      ConversionClaims.renew(sql, claim, millis(leaseUntil)).pipe(operation("conversions.renew")),

    stage: (claim, blobIds, at, leaseUntil) =>
      PublishSegments.stage(sql, claim, blobIds, millis(at), millis(leaseUntil)).pipe(operation("conversions.stage")),

    publish: (claim, publication) =>
      PublishSegments.publish(sql, claim, publication).pipe(operation("conversions.publish")),

    fail: (claim, fault, at, { sweepAt }) =>
      ConversionClaims.fail(sql, claim, fault, millis(at), millis(sweepAt)).pipe(operation("conversions.fail")),

    release: (claim, retryAt, counted, { sweepAt }) =>
      ConversionClaims.release(sql, claim, millis(retryAt), counted, millis(sweepAt)).pipe(
        operation("conversions.release")
      ),

    expire: (at) => ConversionClaims.expire(sql, millis(at)).pipe(operation("conversions.expire")),

    queueDepth: (at, limit) => backlog(sql, millis(at), limit).pipe(operation("conversions.backlog")),

    findReady: (claim) =>
      Effect.gen(function* () {
        const other = yield* sql`SELECT id, mode, presentation FROM conversion
          WHERE blob_id = ${claim.blobId} AND ${inBucket(sql, claim)} AND format <> ${claim.format} AND state = 'READY'`.pipe(
          Row.first((row) => ({
            id: Row.text(row, "id"),
            mode: toMode(row),
            presentation: toPresentation(row, "presentation")
          }))
        )
        if (Option.isNone(other)) return Option.none()
        const { id, mode, presentation } = other.value
        const segments = yield* sql`SELECT name, blob_id FROM conversion_file
          WHERE conversion_id = ${id} AND blob_id IS NOT NULL`.pipe(
          Row.all((row) => ({ name: Row.text(row, "name"), blobId: Row.text(row, "blob_id") }))
        )
        // None when it was removed between the two statements.
        return segments.length === 0 ? Option.none() : Option.some({ mode, presentation, segments })
      }).pipe(operation("conversions.standing"))
  })
})

export const layer: Layer.Layer<ConversionRepository, never, SqlClient> = Layer.effect(ConversionRepository, make)
