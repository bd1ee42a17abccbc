/**
 * The DamageRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { CheckedBlob, DamagedBlob } from "@holdfast/core/integrity/Damage"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import * as DamageKind from "@holdfast/core/storage/DamageKind"
import * as Reads from "../../Reads.ts"
import { among, lock, millis, skipLocked } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"

/** How many due rows a claim reads at most where it leaves tenants out: the table does not have the tenant. */
const maxSkipped = 1000

const toBlob: Row.FromRow<CheckedBlob> = (row) => ({
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.text(row, "bucket_id"),
  blobId: Row.text(row, "id"),
  size: Row.int(row, "size"),
  sha256: Row.text(row, "sha256"),
  fileId: Row.orNull(Row.text, row, "file_id")
})

const toDamaged: Row.FromRow<DamagedBlob> = (row) => ({
  ...toBlob(row),
  kind: Row.oneOf(DamageKind.kinds, row, "kind"),
  foundAt: Row.instant(row, "found_at"),
  attempts: Row.int(row, "attempts")
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const poll = yield* Reads.makePolls(sql)

  /** The columns of a blob; its file is that of its conversion where it is a segment. */
  const columns = sql.literal(`blob.id, blob.tenant_id, blob.bucket_id, blob.size, blob.sha256,
    COALESCE(blob.file_id, conversion.file_id) AS file_id`)
  const withConversion = sql.literal(`LEFT JOIN conversion_file ON conversion_file.blob_id = blob.id
    LEFT JOIN conversion ON conversion.id = conversion_file.conversion_id`)

  /**
   * Locks the files of a blob, and of the content of which it is a part. A new content of a file locks the file ahead of its blobs: of two
   * transactions that lock in different orders, PostgreSQL ends one.
   */
  const lockFiles = (blobId: string) =>
    sql`SELECT id FROM file WHERE id IN (
        SELECT file_id FROM blob WHERE id = ${blobId}
        UNION SELECT content.file_id FROM blob_part JOIN blob AS content ON content.id = blob_part.content_id
          WHERE blob_part.blob_id = ${blobId}
      ) ORDER BY id ${lock(sql, "FOR NO KEY UPDATE")}`

  /** Locks the row of a blob: what `damage` and `file` say of it changes in one transaction at a time. */
  const lockBlob = (blobId: string) =>
    sql`SELECT state, file_id FROM blob WHERE id = ${blobId} ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(
      Row.all((row) => ({ state: Row.text(row, "state"), fileId: Row.orNull(Row.text, row, "file_id") }))
    )

  /** Finds the composite content of a part, and locks it: parts of one content change its file one after the other. */
  const findContent = (blobId: string) =>
    sql`SELECT id, file_id FROM blob WHERE id IN (SELECT content_id FROM blob_part WHERE blob_id = ${blobId})
      AND state = 'READY' ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(
      Row.all((row) => ({ blobId: Row.text(row, "id"), fileId: Row.orNull(Row.text, row, "file_id") })),
      Effect.map(([content]) => content)
    )

  const ids = Row.all((row) => Row.text(row, "blob_id"))

  return DamageRepository.of({
    find: (blobId) =>
      sql`SELECT ${columns} FROM blob ${withConversion} WHERE blob.id = ${blobId} AND blob.state = 'READY' AND blob.parts IS NULL`.pipe(
        Row.first(toBlob),
        operation("damage.find")
      ),

    record: ({ at, blob: { blobId }, kind }) =>
      Effect.gen(function* () {
        yield* lockFiles(blobId)
        const [blob] = yield* lockBlob(blobId)
        if (blob?.state !== "READY") return false
        const added = yield* sql`INSERT INTO damage (blob_id, kind, found_at, due_at, attempts)
          VALUES (${blobId}, ${kind}, ${millis(at)}, ${millis(at)}, 0)
          ON CONFLICT (blob_id) DO NOTHING RETURNING blob_id`
        if (added.length === 0) yield* sql`UPDATE damage SET kind = ${kind} WHERE blob_id = ${blobId}`
        yield* sql`UPDATE file SET damaged_blob = blob_id WHERE id = ${blob.fileId} AND blob_id = ${blobId}`
        const content = yield* findContent(blobId)
        if (content !== undefined) {
          yield* sql`UPDATE file SET damaged_blob = blob_id WHERE id = ${content.fileId} AND blob_id = ${content.blobId}`
        }
        return added.length > 0
      }).pipe(transaction(sql), operation("damage.record")),

    clear: (blobId) =>
      Effect.gen(function* () {
        const recorded = yield* sql`SELECT blob_id FROM damage WHERE blob_id = ${blobId}`
        // Mostly there is nothing to write, and a transaction on SQLite blocks all writers.
        if (recorded.length === 0) {
          const blobs = yield* sql`SELECT id FROM blob WHERE id = ${blobId}`
          return { hasRow: blobs.length > 0, wasDamaged: false }
        }
        return yield* transaction(sql)(
          Effect.gen(function* () {
            yield* lockFiles(blobId)
            const [blob] = yield* lockBlob(blobId)
            const removed = yield* sql`DELETE FROM damage WHERE blob_id = ${blobId} RETURNING blob_id`
            yield* sql`UPDATE file SET damaged_blob = NULL WHERE id = ${blob?.fileId ?? null} AND damaged_blob = ${blobId}`
            const content = yield* findContent(blobId)
            if (content !== undefined) {
              yield* sql`UPDATE file SET damaged_blob = NULL WHERE id = ${content.fileId} AND damaged_blob = ${content.blobId}
                AND NOT EXISTS (SELECT 1 FROM blob_part JOIN damage ON damage.blob_id = blob_part.blob_id
                  WHERE blob_part.content_id = ${content.blobId})`
            }
            return { hasRow: blob !== undefined, wasDamaged: removed.length > 0 }
          })
        )
      }).pipe(operation("damage.clear")),

    claimDue: ({ exceptTenants = [], leaseUntil, limit, now }) => {
      const due = (client: SqlClient) =>
        exceptTenants.length === 0
          ? client`SELECT blob_id FROM damage WHERE due_at <= ${millis(now)} ORDER BY due_at, blob_id LIMIT ${limit}`
          : client`SELECT blob_id FROM damage WHERE due_at <= ${millis(now)} AND blob_id IN (
                SELECT blob_id FROM damage WHERE due_at <= ${millis(now)} ORDER BY due_at, blob_id LIMIT ${maxSkipped})
              AND NOT EXISTS (SELECT 1 FROM blob WHERE id = damage.blob_id AND ${among(client, "tenant_id", exceptTenants)})
              ORDER BY due_at, blob_id LIMIT ${limit}`
      // Selects before it writes: mostly no repair is due, and a write on SQLite blocks all writers.
      return Effect.flatMap(poll(due), (rows) =>
        rows.length === 0
          ? Effect.succeed([])
          : Effect.gen(function* () {
              const claimed = yield* sql`UPDATE damage SET due_at = ${millis(leaseUntil)}, attempts = attempts + 1
                WHERE blob_id IN (${due(sql)} ${skipLocked(sql)}) RETURNING blob_id`.pipe(ids)
              const found = yield* sql`SELECT ${columns}, damage.kind, damage.found_at, damage.attempts
                FROM damage JOIN blob ON blob.id = damage.blob_id ${withConversion}
                WHERE ${among(sql, "damage.blob_id", claimed)} AND blob.state = 'READY'
                ORDER BY damage.found_at, blob.id`.pipe(Row.all(toDamaged))
              const gone = claimed.filter((id) => !found.some(({ blobId }) => blobId === id))
              if (gone.length > 0) yield* sql`DELETE FROM damage WHERE ${among(sql, "blob_id", gone)}`
              return found
            }).pipe(transaction(sql))
      ).pipe(operation("damage.claimDue"))
    },

    postpone: (blobId, dueAt) =>
      sql`UPDATE damage SET due_at = ${millis(dueAt)} WHERE blob_id = ${blobId}`.pipe(
        Effect.asVoid,
        operation("damage.postpone")
      )
  })
})

export const layer: Layer.Layer<DamageRepository, never, SqlClient> = Layer.effect(DamageRepository, make)
