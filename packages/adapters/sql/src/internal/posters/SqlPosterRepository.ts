/**
 * The repository of the posters that callers set, in SQL.
 */
import { LeaseLost } from "@holdfast/core/conversions/ConversionClaim"
import { NotFound } from "@holdfast/core/Errors"
import type { Action } from "@holdfast/core/events/Event"
import {
  type ContentRef,
  type NewPoster,
  type PictureTask,
  PosterRepository,
  type StoredPoster
} from "@holdfast/core/posters/PosterRepository"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import * as Reads from "../../Reads.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { claimDue } from "../ClaimDue.ts"
import { lock, millis } from "../Dialect.ts"
import { record } from "../events/RecordEvent.ts"
import { inBucket } from "../files/FileRow.ts"
import { posterBytes } from "../migrations/StreamUsageTriggers.ts"
import * as Row from "../Row.ts"
import { type Check, withinLimits } from "../usage/WithinLimits.ts"

/** Returns the bytes that a picture counts. They are stored as Base64, in groups of three. */
const bytesOf = (image: Uint8Array): number => 3 * Math.ceil(image.length / 3)

const toSeconds = (row: Row.Row): number | null => (row.at_millis === null ? null : Row.int(row, "at_millis") / 1000)

const toPoster: Row.FromRow<StoredPoster> = (row) => ({
  time: toSeconds(row),
  image: row.image === null ? null : Result.getOrThrow(Base64.decode(Row.text(row, "image"))),
  updatedAt: Row.instant(row, "updated_at")
})

const toTask =
  (leaseUntil: DateTime.Utc): Row.FromRow<PictureTask> =>
  (row) => ({
    tenantId: Row.text(row, "tenant_id"),
    bucketId: Row.text(row, "bucket_id"),
    fileId: Row.text(row, "file_id"),
    blobId: Row.text(row, "blob_id"),
    time: toSeconds(row) ?? 0,
    leaseUntil
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = yield* Reads.make(sql)

  const ofContent = (client: SqlClient, { blobId, bucket }: ContentRef) =>
    client`blob_id = ${blobId} AND ${inBucket(client, bucket)}`

  /** Records an event of the file. Its name is its path. */
  const recordOf = Effect.fnUntraced(function* (
    action: Action,
    { bucket, fileId, time }: Pick<NewPoster, "bucket" | "fileId" | "time">
  ) {
    const file = yield* sql`SELECT path, name FROM file WHERE id = ${fileId} AND ${inBucket(sql, bucket)}`.pipe(
      Row.first((row) => `${Row.text(row, "path")}${Row.text(row, "name")}`)
    )
    const { bucketId, tenantId } = bucket
    const target = { id: fileId, name: Option.getOrNull(file) }
    yield* record(sql, { tenantId, bucketId, action, target, detail: { time } })
  })

  /** Returns the bytes of the picture that is stored. */
  const storedBytes = (content: ContentRef) =>
    sql`SELECT ${sql.literal(posterBytes((column) => column))} AS bytes FROM poster WHERE ${ofContent(sql, content)}`.pipe(
      Row.first((row) => Row.int(row, "bytes")),
      Effect.map(Option.getOrElse(() => 0))
    )

  /** Locks the content's blob: it is not forgotten until the poster is inserted. */
  const set = Effect.fnUntraced(function* (poster: NewPoster, check: Check) {
    const { blobId, bucket, fileId, image, time, updatedAt } = poster
    const source = yield* sql`SELECT id FROM blob
      WHERE id = ${blobId} AND ${inBucket(sql, bucket)} AND file_id = ${fileId} AND state = 'READY'
      ${lock(sql, "FOR NO KEY UPDATE")}`
    if (source.length === 0) return yield* new NotFound({ resource: "file" })
    const former = yield* storedBytes(poster)
    yield* sql`INSERT INTO poster ${sql.insert({
      blob_id: blobId,
      tenant_id: bucket.tenantId,
      bucket_id: bucket.bucketId,
      file_id: fileId,
      at_millis: time === null ? null : Math.round(time * 1000),
      image: image === null ? null : Base64.encode(image),
      due_at: image === null ? millis(updatedAt) : null,
      updated_at: millis(updatedAt)
    })}
      ON CONFLICT (blob_id) DO UPDATE SET at_millis = excluded.at_millis, due_at = excluded.due_at,
        image = COALESCE(excluded.image, poster.image), updated_at = excluded.updated_at`
    yield* recordOf("poster.updated", poster)
    yield* check({ files: 0, bytes: image === null ? 0 : bytesOf(image) - former })
  })

  const remove = Effect.fnUntraced(function* (content: ContentRef) {
    const removed = yield* sql`DELETE FROM poster WHERE ${ofContent(sql, content)} RETURNING file_id, at_millis`.pipe(
      Row.first((row) => ({ fileId: Row.text(row, "file_id"), time: toSeconds(row) }))
    )
    if (Option.isNone(removed)) return false
    yield* recordOf("poster.deleted", { ...removed.value, bucket: content.bucket })
    return true
  })

  const claim = (terms: { readonly now: DateTime.Utc; readonly leaseUntil: DateTime.Utc }) => {
    const [now, leaseUntil] = [millis(terms.now), millis(terms.leaseUntil)]
    const find = read(
      (client) => client`SELECT blob_id FROM poster WHERE due_at <= ${now} ORDER BY due_at, blob_id LIMIT 1`
    ).pipe(Row.first((row) => Row.text(row, "blob_id")))
    return claimDue(find, (blobId) =>
      sql`UPDATE poster SET due_at = ${leaseUntil} WHERE blob_id = ${blobId} AND due_at <= ${now}
        RETURNING tenant_id, bucket_id, file_id, blob_id, at_millis`.pipe(Row.first(toTask(terms.leaseUntil)))
    )
  }

  const complete = Effect.fnUntraced(function* (
    { blobId, bucketId, leaseUntil, tenantId }: PictureTask,
    image: Uint8Array | null,
    now: DateTime.Utc,
    check: Check
  ) {
    const content = { blobId, bucket: { tenantId, bucketId } }
    const held = sql`${ofContent(sql, content)} AND due_at = ${millis(leaseUntil)}`
    const former = yield* storedBytes(content)
    const changed =
      image === null
        ? yield* sql`DELETE FROM poster WHERE ${held} RETURNING blob_id`
        : yield* sql`UPDATE poster SET image = ${Base64.encode(image)}, due_at = NULL, updated_at = ${millis(now)}
            WHERE ${held} RETURNING blob_id`
    if (changed.length === 0) return yield* new LeaseLost()
    yield* check({ files: 0, bytes: image === null ? 0 : bytesOf(image) - former })
  })

  return PosterRepository.of({
    set: (poster) => withinLimits(sql, poster.bucket, (check) => set(poster, check)).pipe(operation("posters.set")),
    find: (content) =>
      read(
        (client) => client`SELECT at_millis, image, updated_at FROM poster WHERE ${ofContent(client, content)}`
      ).pipe(Row.first(toPoster), operation("posters.find")),
    remove: (content) => remove(content).pipe(transaction(sql), operation("posters.remove")),
    claim: (terms) => claim(terms).pipe(operation("posters.claim")),
    complete: (task, image, now) =>
      withinLimits(sql, task, (check) => complete(task, image, now, check)).pipe(
        Effect.catchTag("NotFound", () => Effect.fail(new LeaseLost())),
        operation("posters.complete")
      ),
    expireLeases: (at) => {
      const now = millis(at)
      const expired = sql`UPDATE poster SET due_at = ${now} WHERE due_at > ${now} RETURNING blob_id`
      return expired.pipe(
        Effect.map(({ length }) => length),
        operation("posters.expireLeases")
      )
    }
  })
})

export const layer: Layer.Layer<PosterRepository, never, SqlClient> = Layer.effect(PosterRepository, make)
