/**
 * Makes segments and playlists of a conversion public.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import {
  type ConversionClaim,
  ClaimLost,
  type Playlist,
  type Publication,
  type Segment
} from "@holdfast/core/conversions/ConversionClaim"
import { millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import { transaction } from "../Transaction.ts"
import { held, orLost } from "./ConversionClaims.ts"
import { toParts } from "./ConversionRow.ts"

/** Announces blobs: none where the claim is lost. */
export const stage = (
  sql: SqlClient,
  claim: ConversionClaim,
  blobIds: ReadonlyArray<string>,
  at: number,
  leaseUntil: number
) =>
  blobIds.length === 0
    ? Effect.void
    : orLost(sql`INSERT INTO blob (id, tenant_id, bucket_id, state, due_at, created_at)
        SELECT s.blob_id, ${claim.tenantId}, ${claim.bucketId}, 'PENDING',
          CAST(${leaseUntil} AS bigint), CAST(${at} AS bigint)
        FROM ${sql.onDialectOrElse({
          pg: () => sql`unnest(CAST(${blobIds} AS text[])) AS s (blob_id)`,
          orElse: () => sql`(SELECT value AS blob_id FROM json_each(${JSON.stringify(blobIds)})) AS s`
        })}
        WHERE EXISTS (SELECT 1 FROM conversion WHERE ${held(sql, claim)})
        RETURNING id`)

/** Segments as rows of `s`. */
const rows = (sql: SqlClient, segments: ReadonlyArray<Segment>) => {
  const json = JSON.stringify(
    segments.map(({ blobId, name, sha256, size }) => ({ blob_id: blobId, name, size, sha256 }))
  )
  return sql.onDialectOrElse({
    pg: () => sql`jsonb_to_recordset(CAST(${json} AS jsonb)) AS s (blob_id text, name text, size bigint, sha256 text)`,
    orElse: () => sql`(SELECT value ->> 'blob_id' AS blob_id, value ->> 'name' AS name, value ->> 'size' AS size,
      value ->> 'sha256' AS sha256 FROM json_each(${json})) AS s`
  })
}

const addSegments = Effect.fnUntraced(function* (
  sql: SqlClient,
  claim: ConversionClaim,
  segments: ReadonlyArray<Segment>
) {
  if (segments.length === 0) return
  const ready = yield* sql`UPDATE blob SET state = 'READY', due_at = NULL, size = s.size, sha256 = s.sha256,
      file_id = ${claim.fileId}
    FROM ${rows(sql, segments)} WHERE blob.id = s.blob_id AND ${inBucket(sql, claim)} AND state = 'PENDING'
    RETURNING id`
  // The sweeper took a blob whose lease had ended.
  if (ready.length < segments.length) return yield* new ClaimLost()
  yield* sql`INSERT INTO conversion_file (conversion_id, name, blob_id)
    SELECT ${claim.conversionId}, s.name, s.blob_id FROM ${rows(sql, segments)}`
})

const putPlaylist = (sql: SqlClient, claim: ConversionClaim, { name, text }: Playlist) =>
  sql`INSERT INTO conversion_file (conversion_id, name, playlist) VALUES (${claim.conversionId}, ${name}, ${text})
    ON CONFLICT (conversion_id, name) DO UPDATE SET playlist = excluded.playlist`

/** The conversion's row first: its lock keeps out whoever would take the claim away. */
export const publish = (sql: SqlClient, claim: ConversionClaim, publication: Publication) =>
  Effect.gen(function* () {
    const { isFinished, playlists, presentation, progress, segments } = publication
    const at = millis(publication.at)
    yield* orLost(sql`UPDATE conversion SET progress = ${toParts(progress)}, presentation = ${JSON.stringify(presentation)},
        ${
          isFinished
            ? sql`state = 'READY', due_at = NULL, finished_at = ${at}`
            : sql`due_at = ${millis(publication.leaseUntil)}`
        }
      WHERE ${held(sql, claim)} RETURNING id`)
    yield* addSegments(sql, claim, segments)
    yield* Effect.forEach(playlists, (playlist) => putPlaylist(sql, claim, playlist), { discard: true })
  }).pipe(transaction(sql))
