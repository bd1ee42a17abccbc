/**
 * Stages and publishes the segments and playlists of a conversion.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type ConversionClaim, LeaseLost } from "@holdfast/core/conversions/ConversionClaim"
import type { AddedTo, Addition, StagedBlobs } from "@holdfast/core/conversions/ConversionRepository"
import type { Playlist, Publication, Segment } from "@holdfast/core/conversions/Publication"
import { Format, type Presentation } from "@holdfast/core/transcoding/Presentation"
import { lock, millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { withinLimits } from "../usage/WithinLimits.ts"
import { isHeld, isMade, orLeaseLost } from "./ConversionClaims.ts"
import { conversionEvent } from "./ConversionEvents.ts"
import { completeInheritance } from "./ConversionFiles.ts"
import { toPresentation, toStoredProgress } from "./ConversionRow.ts"

/** Inserts PENDING blobs, or none if the lease is lost. */
export const stage = (sql: SqlClient, claim: ConversionClaim | AddedTo, { blobIds, leaseUntil, now }: StagedBlobs) =>
  blobIds.length === 0
    ? Effect.void
    : orLeaseLost(sql`INSERT INTO blob (id, tenant_id, bucket_id, state, due_at, created_at)
        SELECT s.blob_id, ${claim.tenantId}, ${claim.bucketId}, 'PENDING',
          CAST(${millis(leaseUntil)} AS bigint), CAST(${millis(now)} AS bigint)
        FROM ${sql.onDialectOrElse({
          pg: () => sql`unnest(CAST(${blobIds} AS text[])) AS s (blob_id)`,
          orElse: () => sql`(SELECT value AS blob_id FROM json_each(${JSON.stringify(blobIds)})) AS s`
        })}
        WHERE EXISTS (SELECT 1 FROM conversion
          WHERE (${isMade(sql, claim)})${"fencingToken" in claim ? sql` OR (${isHeld(sql, claim)})` : sql``})
        RETURNING id`)

/** A table expression `s` with one row for each segment. */
const segmentRows = (sql: SqlClient, segments: ReadonlyArray<Segment>) => {
  const json = JSON.stringify(
    segments.map(({ blobId, name, sha256, size }) => ({ blob_id: blobId, name, size, sha256 }))
  )
  return sql.onDialectOrElse({
    pg: () => sql`jsonb_to_recordset(CAST(${json} AS jsonb)) AS s (blob_id text, name text, size bigint, sha256 text)`,
    orElse: () => sql`(SELECT value ->> 'blob_id' AS blob_id, value ->> 'name' AS name, value ->> 'size' AS size,
      value ->> 'sha256' AS sha256 FROM json_each(${json})) AS s`
  })
}

/** Makes PENDING blobs READY as files of a conversion. */
export const addSegments = Effect.fnUntraced(function* (
  sql: SqlClient,
  claim: AddedTo,
  segments: ReadonlyArray<Segment>
) {
  if (segments.length === 0) return
  const ready = yield* sql`UPDATE blob SET state = 'READY', due_at = NULL, size = s.size, sha256 = s.sha256,
      file_id = ${claim.fileId}
    FROM ${segmentRows(sql, segments)} WHERE blob.id = s.blob_id AND ${inBucket(sql, claim)} AND state = 'PENDING'
    RETURNING id`
  // The sweeper has removed a blob whose lease had expired.
  if (ready.length < segments.length) return yield* new LeaseLost()
  yield* sql`INSERT INTO conversion_file (conversion_id, name, blob_id)
    SELECT ${claim.conversionId}, s.name, s.blob_id FROM ${segmentRows(sql, segments)}`
})

const putPlaylist = (sql: SqlClient, claim: AddedTo, { name, text }: Playlist) =>
  sql`INSERT INTO conversion_file (conversion_id, name, playlist) VALUES (${claim.conversionId}, ${name}, ${text})
    ON CONFLICT (conversion_id, name) DO UPDATE SET playlist = excluded.playlist`

/** Sets what a conversion has published: READY at the end, perhaps with a ladder that becomes due. */
const advance = (sql: SqlClient, claim: ConversionClaim, publication: Publication) => {
  const {
    isFinished,
    ladderDueAt,
    leaseUntil,
    now,
    picturesDueAt,
    presentation,
    progress,
    sharesId = null
  } = publication
  const ladder =
    ladderDueAt === undefined
      ? sql``
      : sql`, ladder_state = 'QUEUED', ladder_due_at = ${millis(ladderDueAt)}, tries = 0, interruptions = 0`
  return sql`UPDATE conversion SET progress = ${toStoredProgress(progress)}, presentation = ${JSON.stringify(presentation)},
      ${
        isFinished
          ? sql`state = 'READY', due_at = NULL, made_by = ${claim.fencingToken}, finished_at = ${millis(now)},
            shares_id = ${sharesId}, poster_due = ${picturesDueAt === undefined ? null : millis(picturesDueAt)}${ladder}`
          : sql`due_at = ${millis(leaseUntil)}`
      }
    WHERE ${isHeld(sql, claim)} RETURNING id`
}

/** Sets the presentation of the conversions that share the files of a claimed one. */
const presentToSharers = (sql: SqlClient, { conversionId }: ConversionClaim, presentation: Presentation) =>
  presentation.isShared === true
    ? Effect.forEach(
        Format.literals,
        (format) => sql`UPDATE conversion SET presentation = ${JSON.stringify({ ...presentation, format })}
          WHERE shares_id = ${conversionId} AND format = ${format} AND state = 'READY'`,
        { discard: true }
      )
    : Effect.void

/** Sets what a ladder has published: its renditions are those of the copy at the end. */
const advanceLadder = (sql: SqlClient, claim: ConversionClaim, publication: Publication) =>
  publication.isFinished
    ? sql`UPDATE conversion SET presentation = ${JSON.stringify(publication.presentation)},
        ladder_state = NULL, ladder_due_at = NULL
      WHERE ${isHeld(sql, claim)} RETURNING id`.pipe(
        Effect.tap(() => presentToSharers(sql, claim, publication.presentation))
      )
    : sql`UPDATE conversion SET ladder_due_at = ${millis(publication.leaseUntil)} WHERE ${isHeld(sql, claim)} RETURNING id`

/**
 * Locks the conversion whose files another one is to share, before that one, as a removal does. Returns its presentation, which may have AV1
 * by now. Fails if it is not READY any more.
 */
const lockShared = (sql: SqlClient, claim: ConversionClaim, sharesId: string) =>
  sql`SELECT presentation FROM conversion
    WHERE id = ${sharesId} AND blob_id = ${claim.blobId} AND state = 'READY' AND shares_id IS NULL
    ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(
    Row.first((row) => toPresentation(row, "presentation")),
    Effect.flatMap((found) => Effect.mapError(Effect.fromOption(found), () => new LeaseLost()))
  )

/** Returns what one publishes that shares the files of another one: with the presentation of that one. */
const asShared = (sql: SqlClient, claim: ConversionClaim, publication: Publication) =>
  publication.sharesId === undefined
    ? Effect.succeed(publication)
    : Effect.map(lockShared(sql, claim, publication.sharesId), (presentation) => ({
        ...publication,
        presentation: { ...presentation, format: claim.format }
      }))

/**
 * Publishes segments and playlists. Updates the conversion's row first: its lock blocks another worker's claim, and removal,
 * until the transaction ends.
 */
export const publish = (sql: SqlClient, claim: ConversionClaim, publication: Publication) => {
  const { isFinished, playlists, segments, sharesId } = publication
  const published = withinLimits(sql, claim, (check) =>
    Effect.gen(function* () {
      const whole = yield* asShared(sql, claim, publication)
      yield* orLeaseLost((claim.isLadder ? advanceLadder : advance)(sql, claim, whole))
      yield* addSegments(sql, claim, segments)
      yield* Effect.forEach(playlists, (playlist) => putPlaylist(sql, claim, playlist), { discard: true })
      if (isFinished && !claim.isLadder) yield* record(sql, conversionEvent("stream.ready", claim))
      yield* check({ files: 0, bytes: segments.reduce((sum, { size }) => sum + size, 0) })
    })
  ).pipe(
    // A conversion of a removed bucket is of no use.
    Effect.catchTag("NotFound", () => Effect.fail(new LeaseLost()))
  )
  return sharesId === undefined ? published : Effect.andThen(completeInheritance(sql, sharesId), published)
}

/** Adds files to a READY conversion. The update locks the conversion's row against removal, and changes nothing. */
export const append = (sql: SqlClient, claim: ConversionClaim | AddedTo, { playlists, segments }: Addition) =>
  withinLimits(sql, claim, (check) =>
    Effect.gen(function* () {
      yield* orLeaseLost(sql`UPDATE conversion SET progress = progress WHERE ${isMade(sql, claim)} RETURNING id`)
      yield* addSegments(sql, claim, segments)
      yield* Effect.forEach(playlists, (playlist) => putPlaylist(sql, claim, playlist), { discard: true })
      yield* check({ files: 0, bytes: segments.reduce((sum, { size }) => sum + size, 0) })
    })
  ).pipe(Effect.catchTag("NotFound", () => Effect.fail(new LeaseLost())))
