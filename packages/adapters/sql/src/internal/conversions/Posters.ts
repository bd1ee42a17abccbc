/**
 * Claims and publishes the posters of READY conversions.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type ConversionClaim, LeaseLost } from "@holdfast/core/conversions/ConversionClaim"
import type { ClaimTerms, PosterTask } from "@holdfast/core/conversions/ConversionRepository"
import type { Segment } from "@holdfast/core/conversions/Publication"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import type { PageRead } from "../../Reads.ts"
import { claimDue } from "../ClaimDue.ts"
import { millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { withinLimits } from "../usage/WithinLimits.ts"
import { isMade, orLeaseLost } from "./ConversionClaims.ts"
import { toPresentation } from "./ConversionRow.ts"
import { addSegments } from "./PublishSegments.ts"

const toTask =
  (leaseUntil: number): Row.FromRow<PosterTask> =>
  (row) => ({
    conversionId: Row.text(row, "id"),
    tenantId: Row.text(row, "tenant_id"),
    bucketId: Row.text(row, "bucket_id"),
    fileId: Row.text(row, "file_id"),
    blobId: Row.text(row, "blob_id"),
    presentation: toPresentation(row, "presentation"),
    hasPoster: row.poster_name !== null,
    hasStoryboard: row.storyboard_name !== null,
    leaseUntil: DateTime.makeUnsafe(leaseUntil)
  })

/** Claims the pictures that have been due for longest. */
export const claimPoster = (sql: SqlClient, poll: PageRead, terms: Pick<ClaimTerms, "leaseUntil" | "now">) => {
  const [now, leaseUntil] = [millis(terms.now), millis(terms.leaseUntil)]
  const find = poll(
    (client) => client`SELECT id FROM conversion WHERE poster_due <= ${now} ORDER BY poster_due, id LIMIT 1`
  ).pipe(Row.first((row) => Row.text(row, "id")))
  // A conversion that inherits its files may not have all of them yet.
  const found = (name: string) =>
    sql`(SELECT name FROM conversion_file
      WHERE conversion_id IN (conversion.id, conversion.shares_id) AND name = ${name} LIMIT 1)`
  return claimDue(find, (id) =>
    sql`UPDATE conversion SET poster_due = ${leaseUntil} WHERE id = ${id} AND poster_due <= ${now}
      RETURNING id, tenant_id, bucket_id, file_id, blob_id, presentation, ${found(StreamFiles.poster)} AS poster_name,
        ${found(StreamFiles.storyboard)} AS storyboard_name`.pipe(Row.first(toTask(leaseUntil)))
  )
}

/** Whether a row is the conversion of a claimed task. */
const isHeld = (sql: SqlClient, task: PosterTask) =>
  sql`id = ${task.conversionId} AND ${inBucket(sql, task)} AND poster_due = ${millis(task.leaseUntil)}`

/** The update locks the row, so that the conversion is not removed meanwhile. It changes nothing. */
export const publishPoster = (sql: SqlClient, task: PosterTask, poster: Segment) =>
  withinLimits(sql, task, (check) =>
    Effect.gen(function* () {
      yield* orLeaseLost(sql`UPDATE conversion SET progress = progress WHERE ${isHeld(sql, task)} RETURNING id`)
      yield* addSegments(sql, task, [poster])
      yield* check({ files: 0, bytes: poster.size })
    })
  ).pipe(Effect.catchTag("NotFound", () => Effect.fail(new LeaseLost())))

export const completePictures = (sql: SqlClient, conversion: ConversionClaim | PosterTask) => {
  const isOwn = "fencingToken" in conversion ? isMade(sql, conversion) : isHeld(sql, conversion)
  return orLeaseLost(sql`UPDATE conversion SET poster_due = NULL WHERE ${isOwn} RETURNING id`)
}
