/**
 * The BlobRepository in SQL. The repositories of files and conversions change blobs from PENDING to READY and from READY to
 * DOOMED; all other changes are here.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "@holdfast/core/Errors"
import type * as BlobKey from "@holdfast/core/storage/BlobKey"
import {
  BlobRepository,
  type BlobRow,
  type BlobState,
  type ContentPart,
  type DueBlob,
  type WholeContent
} from "@holdfast/core/storage/BlobRepository"
import * as DamageKind from "@holdfast/core/storage/DamageKind"
import { among, lock, millis } from "../Dialect.ts"
import { hasCome } from "../HasCome.ts"
import * as PreparedText from "../PreparedText.ts"
import * as Row from "../Row.ts"
import { expire } from "./ExpireBlobs.ts"
import { unlocked } from "./Unlocked.ts"
import { operation } from "../../SqlFailure.ts"
import * as ContentRuleColumns from "../buckets/ContentRuleColumns.ts"
import { isOpenBucket } from "../buckets/OpenBucket.ts"
import { ofBucket } from "../files/FileRow.ts"
import { type Check, withinLimits } from "../usage/WithinLimits.ts"
import { dropParts } from "../uploads/DropParts.ts"
import { dropCaptions, dropConversions, dropFilesOfGone, dropPosters } from "../conversions/ConversionFiles.ts"
import { transaction } from "../../Transaction.ts"

const toParts: Row.FromRow<BlobKey.Parts> = (row) => ({
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.text(row, "bucket_id"),
  blobId: Row.text(row, "id")
})

const toDue: Row.FromRow<DueBlob> = (row) => ({ ...toParts(row), dueAt: Row.instant(row, "due_at") })

const states: ReadonlyArray<BlobState> = ["PENDING", "READY", "DOOMED"]

const toBlob: Row.FromRow<BlobRow> = (row) => ({
  ...toParts(row),
  state: Row.oneOf(states, row, "state"),
  size: Row.orNull(Row.int, row, "size"),
  sha256: Row.orNull(Row.text, row, "sha256"),
  fileId: Row.orNull(Row.text, row, "file_id"),
  damage: row.damage_kind === null ? null : Row.oneOf(DamageKind.kinds, row, "damage_kind"),
  isPart: row.content_id !== null,
  hasParts: row.parts === null ? null : Row.int(row, "parts") === Row.int(row, "found_parts")
})

const toPart: Row.FromRow<ContentPart> = (row) => ({
  blobId: Row.text(row, "blob_id"),
  start: Row.int(row, "start"),
  size: Row.int(row, "size"),
  tag: Row.orNull(Row.text, row, "tag")
})

const toWhole: Row.FromRow<WholeContent> = (row) => ({
  fileId: Row.text(row, "id"),
  sha256: Row.text(row, "sha256"),
  start: Row.int(row, "start")
})

const missingBucket = new NotFound({ resource: "bucket" })

const staging = PreparedText.define(
  ["tenantId", "bucketId", "blobId", "at", "leaseUntil"],
  (
    sql,
    { at, blobId, leaseUntil, ...bucket }
  ) => sql`INSERT INTO blob (id, tenant_id, bucket_id, state, due_at, created_at)
    SELECT ${blobId}, tenant_id, id, 'PENDING', ${leaseUntil}, ${at}
    FROM bucket WHERE ${isOpenBucket(sql, bucket)} RETURNING ${ContentRuleColumns.ofBucket(sql, bucket.bucketId)}`
)

type Reservation = Parameters<BlobRepository["Service"]["reserve"]>[0]

const reserveWithin = Effect.fnUntraced(function* (
  sql: SqlClient,
  { blobId, bucket, bytes }: Reservation,
  check: Check
) {
  const own = sql`id = ${blobId} AND ${ofBucket(sql, bucket)} AND state = 'PENDING'`
  const [former] = yield* sql`SELECT COALESCE(reserved, 0) AS reserved FROM blob WHERE ${own}
    ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(Row.all((row) => Row.int(row, "reserved")))
  // The lease has ended: the commit will fail.
  if (former === undefined) return
  yield* sql`UPDATE blob SET reserved = ${bytes} WHERE ${own}`
  yield* check({ files: 0, bytes: bytes - former })
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient

  const count = (rows: ReadonlyArray<Row.Row>): number => rows.length

  const isNotHeld = (now: DateTime.Utc): Fragment =>
    sql`NOT EXISTS (SELECT 1 FROM blob_hold WHERE NOT ${hasCome(sql, "held_until", millis(now))})`

  return BlobRepository.of({
    stage: ({ at, blobId, bucket: { bucketId, tenantId }, leaseUntil }) =>
      staging
        .statement(sql, { tenantId, bucketId, blobId, at: millis(at), leaseUntil: millis(leaseUntil) })
        .pipe(
          Row.first(ContentRuleColumns.read),
          (found) => NotFound.whenNone(found, missingBucket),
          operation("blobs.stage")
        ),

    reserve: (wanted) =>
      withinLimits(sql, wanted.bucket, (check) => reserveWithin(sql, wanted, check)).pipe(operation("blobs.reserve")),

    // One statement renews the leases of all uploads of a node: they must not wait for a row that another transaction has locked,
    // such as a commit that waits for its bucket. The next renewal includes the skipped ones. A lock of a row that refers to the
    // blob (`FOR KEY SHARE`) skips nothing.
    renew: (blobIds, leaseUntil) => {
      const isPending = sql`${among(sql, "id", blobIds)} AND state = 'PENDING'`
      return sql`UPDATE blob SET due_at = ${millis(leaseUntil)} WHERE ${unlocked(sql, "FOR NO KEY UPDATE", isPending)}`.pipe(
        Effect.asVoid,
        operation("blobs.renew")
      )
    },

    expire: (which) => expire(sql, which).pipe(operation("blobs.expire")),

    hold: ({ holdId, now, until }) =>
      Effect.andThen(
        sql`DELETE FROM blob_hold WHERE ${hasCome(sql, "held_until", millis(now))}`,
        sql`INSERT INTO blob_hold (id, held_until) VALUES (${holdId}, ${millis(until)})
          ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until`
      ).pipe(transaction(sql), Effect.asVoid, operation("blobs.hold")),

    releaseHold: (holdId) =>
      sql`DELETE FROM blob_hold WHERE id = ${holdId}`.pipe(Effect.asVoid, operation("blobs.releaseHold")),

    // With a position, PostgreSQL does not read the index entries of the blobs again that were deleted before it. It keeps
    // them while an older snapshot is open, as that of a backup.
    listDue: ({ after, limit, now }) =>
      sql`SELECT tenant_id, bucket_id, id, due_at FROM blob WHERE state = 'DOOMED' AND due_at <= ${millis(now)}
        AND ${isNotHeld(now)}
        AND (due_at, id) > (${after === undefined ? -1 : millis(after.dueAt)}, ${after?.blobId ?? ""})
        ORDER BY due_at, id LIMIT ${limit}`.pipe(Row.all(toDue), operation("blobs.listDue")),

    claimDue: ({ blobIds, leaseUntil, now }) => {
      const isDue = sql`${among(sql, "id", blobIds)} AND state = 'DOOMED' AND due_at <= ${millis(now)}
        AND ${isNotHeld(now)}`
      return sql`UPDATE blob SET due_at = ${millis(leaseUntil)} WHERE ${unlocked(sql, "FOR UPDATE", isDue)} RETURNING id`.pipe(
        Row.all((row) => Row.text(row, "id")),
        Effect.map((ids) => new Set(ids)),
        operation("blobs.claimDue")
      )
    },

    postpone: (blobIds, dueAt) =>
      sql`UPDATE blob SET due_at = ${millis(dueAt)} WHERE ${among(sql, "id", blobIds)} AND state = 'DOOMED'`.pipe(
        Effect.asVoid,
        operation("blobs.postpone")
      ),

    forget: (blobIds) =>
      dropConversions(sql, blobIds).pipe(
        Effect.andThen(sql`DELETE FROM blob WHERE ${among(sql, "id", blobIds)} AND state <> 'READY'`),
        Effect.andThen(sql`DELETE FROM damage WHERE ${among(sql, "blob_id", blobIds)}`),
        transaction(sql),
        // Statements of their own: one that changes the usage of several tenants does so in the order of their ids.
        (forgetting) => Effect.andThen(dropPosters(sql, blobIds), forgetting),
        (forgetting) => Effect.andThen(dropCaptions(sql, blobIds), forgetting),
        (forgetting) => Effect.andThen(dropFilesOfGone(sql, blobIds), forgetting),
        (forgetting) => Effect.andThen(dropParts(sql, blobIds), forgetting),
        Effect.asVoid,
        operation("blobs.forget")
      ),

    doomUnreferenced: (blobIds, sweepAt) =>
      sql`UPDATE blob SET state = 'DOOMED', due_at = ${millis(sweepAt)}
        WHERE ${among(sql, "id", blobIds)} AND state = 'READY' AND NOT EXISTS (
          SELECT 1 FROM file WHERE file.id = blob.file_id AND file.blob_id = blob.id)
          AND NOT EXISTS (SELECT 1 FROM conversion_file WHERE conversion_file.blob_id = blob.id)
          AND NOT EXISTS (SELECT 1 FROM blob_part JOIN blob AS content ON content.id = blob_part.content_id
            WHERE blob_part.blob_id = blob.id)
        RETURNING id`.pipe(Effect.map(count), operation("blobs.doomUnreferenced")),

    listParts: ({ blobId, limit, offset }) =>
      sql`SELECT blob_id, start, size, tag FROM blob_part WHERE content_id = ${blobId} AND start >= (
          SELECT MAX(start) FROM blob_part WHERE content_id = ${blobId} AND start <= ${offset})
        ORDER BY start LIMIT ${limit}`.pipe(Row.all(toPart), operation("blobs.listParts")),

    findWhole: (blobId) =>
      sql`SELECT file.id, file.sha256, blob_part.start FROM blob_part
          JOIN blob AS content ON content.id = blob_part.content_id
          JOIN file ON file.id = content.file_id AND file.blob_id = content.id
        WHERE blob_part.blob_id = ${blobId} AND content.state = 'READY' AND file.sha256 <> ''`.pipe(
        Row.first(toWhole),
        operation("blobs.findWhole")
      ),

    list: ({ after, limit }) =>
      sql`SELECT blob.id, blob.tenant_id, blob.bucket_id, blob.state, blob.size, blob.sha256,
          COALESCE(file.id, whole.id, conversion.file_id) AS file_id, damage.kind AS damage_kind, content.id AS content_id,
          blob.parts, CASE WHEN blob.parts IS NOT NULL THEN (SELECT COUNT(*) FROM blob_part
            JOIN blob AS part ON part.id = blob_part.blob_id AND part.state = 'READY' AND part.size = blob_part.size
            WHERE blob_part.content_id = blob.id) END AS found_parts
        FROM blob LEFT JOIN file ON file.id = blob.file_id AND file.blob_id = blob.id
          LEFT JOIN blob_part ON blob_part.blob_id = blob.id
          LEFT JOIN blob AS content ON content.id = blob_part.content_id
          LEFT JOIN file AS whole ON whole.id = content.file_id AND whole.blob_id = content.id
          LEFT JOIN conversion_file ON conversion_file.blob_id = blob.id
          LEFT JOIN conversion ON conversion.id = conversion_file.conversion_id
          LEFT JOIN damage ON damage.blob_id = blob.id
        WHERE blob.id > ${after ?? ""} ORDER BY blob.id LIMIT ${limit}`.pipe(Row.all(toBlob), operation("blobs.list")),

    filterKnown: (blobIds) =>
      sql`SELECT id FROM blob WHERE ${among(sql, "id", blobIds)}`.pipe(
        Row.all((row) => Row.text(row, "id")),
        Effect.map((ids) => new Set(ids)),
        operation("blobs.filterKnown")
      )
  })
})

export const layer: Layer.Layer<BlobRepository, never, SqlClient> = Layer.effect(BlobRepository, make)
