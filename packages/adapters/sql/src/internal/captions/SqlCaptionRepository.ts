/**
 * The repository of attached captions in SQL.
 */
import type { AttachedCaptions } from "@holdfast/core/captions/AttachedCaptions"
import { CaptionRepository, type ContentRef, type NewCaptions } from "@holdfast/core/captions/CaptionRepository"
import { NotFound, QuotaExceeded } from "@holdfast/core/Errors"
import type { Action } from "@holdfast/core/events/Event"
import { utf8Length } from "@holdfast/core/Text"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as Reads from "../../Reads.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { lock, millis } from "../Dialect.ts"
import { type Change, record } from "../events/RecordEvent.ts"
import { inBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"
import { type Check, withinLimits } from "../usage/WithinLimits.ts"

const toCaptions: Row.FromRow<AttachedCaptions> = (row) => ({
  id: Row.text(row, "id"),
  language: Row.text(row, "language"),
  label: Row.text(row, "label"),
  createdAt: Row.instant(row, "created_at")
})

/** The event of captions. Its name is their label. */
const captionsEvent = (
  action: Action,
  { bucket, fileId, id, label, language }: Pick<NewCaptions, "bucket" | "fileId" | "id" | "label" | "language">
): Change => ({
  tenantId: bucket.tenantId,
  bucketId: bucket.bucketId,
  action,
  target: { id, name: label },
  detail: { fileId, language }
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = yield* Reads.make(sql)

  const ofContent = (client: SqlClient, { blobId, bucket }: ContentRef) =>
    client`blob_id = ${blobId} AND ${inBucket(client, bucket)}`

  /** Locks the content's blob: it is not forgotten until the captions are inserted, and captions are counted one after the other. */
  const attach = Effect.fnUntraced(function* (captions: NewCaptions, check: Check) {
    const { blobId, bucket, fileId, maximum } = captions
    const source = yield* sql`SELECT id FROM blob
      WHERE id = ${blobId} AND ${inBucket(sql, bucket)} AND file_id = ${fileId} AND state = 'READY'
      ${lock(sql, "FOR NO KEY UPDATE")}`
    if (source.length === 0) return yield* new NotFound({ resource: "file" })
    const { length: use } = yield* sql`SELECT id FROM captions WHERE ${ofContent(sql, captions)}`
    if (use >= maximum) {
      return yield* new QuotaExceeded({ quota: { owner: "bucket", limit: "captionsPerContent", maximum, use } })
    }
    yield* sql`INSERT INTO captions ${sql.insert({
      id: captions.id,
      tenant_id: bucket.tenantId,
      bucket_id: bucket.bucketId,
      file_id: fileId,
      blob_id: blobId,
      language: captions.language,
      label: captions.label,
      cues: captions.cues,
      created_at: millis(captions.createdAt)
    })}`
    yield* record(sql, captionsEvent("captions.created", captions))
    yield* check({ files: 0, bytes: utf8Length(captions.cues) })
  })

  const remove = Effect.fnUntraced(function* (captions: ContentRef & { readonly id: string }) {
    const { bucket, id } = captions
    const removed = yield* sql`DELETE FROM captions WHERE id = ${id} AND ${ofContent(sql, captions)}
      RETURNING id, file_id, language, label, created_at`.pipe(
      Row.first((row) => ({ ...toCaptions(row), fileId: Row.text(row, "file_id") }))
    )
    if (Option.isNone(removed)) return false
    yield* record(sql, captionsEvent("captions.deleted", { ...removed.value, bucket }))
    return true
  })

  return CaptionRepository.of({
    attach: (captions) =>
      withinLimits(sql, captions.bucket, (check) => attach(captions, check)).pipe(operation("captions.attach")),

    listByContent: (content) =>
      read(
        (client) => client`SELECT id, language, label, created_at FROM captions
        WHERE ${ofContent(client, content)} ORDER BY id`
      ).pipe(Row.all(toCaptions), operation("captions.listByContent")),

    findCues: ({ id, ...content }) =>
      read((client) => client`SELECT cues FROM captions WHERE id = ${id} AND ${ofContent(client, content)}`).pipe(
        Row.first((row) => Row.text(row, "cues")),
        operation("captions.findCues")
      ),

    remove: (captions) => remove(captions).pipe(transaction(sql), operation("captions.remove"))
  })
})

export const layer: Layer.Layer<CaptionRepository, never, SqlClient> = Layer.effect(CaptionRepository, make)
