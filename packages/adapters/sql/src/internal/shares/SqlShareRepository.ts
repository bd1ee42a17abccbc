/**
 * The ShareRepository in SQL.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { NotFound } from "@holdfast/core/Errors"
import type { Action, Detail } from "@holdfast/core/events/Event"
import type { ShareRef, StoredShare } from "@holdfast/core/files/shares/Share"
import { type ShareChange, ShareRepository } from "@holdfast/core/files/shares/ShareRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { isOpenBucket, openBucket } from "../buckets/OpenBucket.ts"
import { among, lock, millis, skipLocked } from "../Dialect.ts"
import { type Change, changedFields, record, recordFound } from "../events/RecordEvent.ts"
import * as Creators from "../members/Creators.ts"
import * as Counted from "../quotas/Counted.ts"
import { noteRefusal } from "../quotas/ReachedLimits.ts"
import { requireRoom } from "../quotas/RequireRoom.ts"
import * as Row from "../Row.ts"
import * as ShareRoom from "./ShareRoom.ts"
import { columns, toShare } from "./ShareRow.ts"

/** Neither the token nor the password is part of an event. */
export const shareEvent = (
  action: Action,
  { bucketId, id, name, tenantId }: Pick<StoredShare, "bucketId" | "id" | "name" | "tenantId">,
  detail: Detail = {}
): Change => ({ tenantId, bucketId, action, target: { id, name }, detail })

const instant = (value: DateTime.Utc | null) => (value === null ? null : millis(value))

const instantText = (value: DateTime.Utc | null) => (value === null ? null : DateTime.formatIso(value))

/** Returns the terms of a new share as facts of its event. */
const termsOf = ({ expiresAt, fileId, may, password, path }: StoredShare): Detail => ({
  ...(fileId === null ? { path } : { fileId }),
  may: [...may],
  expiresAt: instantText(expiresAt),
  hasPassword: password !== null
})

const changedColumns = ({ createdBy, expiresAt, maxBytes, maxDownloads, maxFiles, name, password }: ShareChange) => ({
  ...(name === undefined ? undefined : { name }),
  ...(expiresAt === undefined ? undefined : { expires_at: instant(expiresAt) }),
  ...(password === undefined ? undefined : { password, attempts: 0, attempts_since: 0 }),
  ...(maxDownloads === undefined ? undefined : { max_downloads: maxDownloads }),
  ...(maxFiles === undefined ? undefined : { max_files: maxFiles }),
  ...(maxBytes === undefined ? undefined : { max_bytes: maxBytes }),
  ...(createdBy === undefined ? undefined : Creators.toColumns(createdBy))
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const selected = sql.literal(columns)
  const inBucket = (bucket: BucketRef) => sql`bucket_id = ${openBucket(sql, bucket)}`
  const isShare = (ref: ShareRef) => sql`id = ${ref.shareId} AND ${inBucket(ref)}`
  /** Shares of removed buckets and tenants stay until their rows are deleted. */
  const openShares = sql`SELECT ${selected} FROM share
    JOIN bucket ON bucket.id = share.bucket_id AND bucket.removed = 0
    JOIN tenant ON tenant.id = share.tenant_id AND tenant.removed = 0`

  const requireShares = (tenantId: string, at: DateTime.Utc) =>
    requireRoom(sql, tenantId, ({ shares }) => [
      { limit: "shares", maximum: shares, rows: Counted.shares(sql, tenantId, at) }
    ])

  const create = Effect.fnUntraced(function* (share: StoredShare, hash: string) {
    const { bucketId, tenantId } = share
    yield* requireShares(tenantId, share.createdAt)
    yield* sql`SELECT id FROM bucket WHERE ${isOpenBucket(sql, { tenantId, bucketId })} ${lock(sql, "FOR KEY SHARE")}`.pipe(
      Row.orFail(() => new NotFound({ resource: "bucket" }))
    )
    yield* sql`INSERT INTO share ${sql.insert({
      id: share.id,
      tenant_id: tenantId,
      bucket_id: bucketId,
      hash,
      name: share.name,
      file_id: share.fileId,
      path: share.path,
      may: JSON.stringify(share.may),
      expires_at: instant(share.expiresAt),
      password: share.password,
      password_version: share.passwordVersion,
      max_downloads: share.maxDownloads,
      max_files: share.maxFiles,
      max_bytes: share.maxBytes,
      ...Creators.toColumns(share.createdBy),
      created_at: millis(share.createdAt),
      updated_at: millis(share.updatedAt)
    })}`
    yield* record(sql, shareEvent("share.created", share, termsOf(share)))
  })

  const update = Effect.fnUntraced(function* (ref: ShareRef, change: ShareChange, at: DateTime.Utc) {
    if (change.expiresAt !== undefined) {
      const expired = yield* sql`SELECT id FROM share WHERE ${isShare(ref)} AND expires_at <= ${millis(at)}`
      if (expired.length > 0) yield* requireShares(ref.tenantId, at)
    }
    const version = sql.literal(change.password === undefined ? "" : ", password_version = password_version + 1")
    return yield* sql`UPDATE share SET ${sql.update({ updated_at: millis(at), ...changedColumns(change) })}${version}
      WHERE ${isShare(ref)} RETURNING ${selected}`.pipe(
      Row.first(toShare),
      recordFound(sql, (updated) => shareEvent("share.updated", updated, changedFields(change)))
    )
  })

  /** The shares that a node deletes are locked; another node skips them. */
  const deleteExpired = Effect.fnUntraced(function* (before: number, limit: number) {
    const found = yield* sql`SELECT ${selected} FROM share WHERE expires_at < ${before}
      ORDER BY expires_at LIMIT ${limit} ${skipLocked(sql)}`.pipe(Row.all(toShare))
    if (found.length === 0) return 0
    const ids = found.map(({ id }) => id)
    yield* sql`DELETE FROM share WHERE ${among(sql, "id", ids)}`
    for (const share of found) {
      yield* record(sql, shareEvent("share.deleted", share, { expiresAt: instantText(share.expiresAt) }))
    }
    return found.length
  })

  return ShareRepository.of({
    create: ({ hash, share }) =>
      create(share, hash).pipe(transaction(sql), noteRefusal(sql, share.tenantId), operation("shares.create")),

    find: (ref) =>
      sql`SELECT ${selected} FROM share WHERE ${isShare(ref)}`.pipe(Row.first(toShare), operation("shares.find")),

    findByToken: (hash) =>
      sql`${openShares} WHERE share.hash = ${hash}`.pipe(Row.first(toShare), operation("shares.findByToken")),

    findById: (shareId) =>
      sql`${openShares} WHERE share.id = ${shareId}`.pipe(Row.first(toShare), operation("shares.findById")),

    list: ({ after, bucket, limit }) =>
      sql`SELECT ${selected} FROM share WHERE ${inBucket(bucket)} AND id > ${after ?? ""} ORDER BY id LIMIT ${limit}`.pipe(
        Row.all(toShare),
        operation("shares.list")
      ),

    update: ({ at, change, share }) =>
      update(share, change, at).pipe(transaction(sql), noteRefusal(sql, share.tenantId), operation("shares.update")),

    deleteExpired: ({ before, limit }) =>
      // Selects before it writes: mostly no share has expired, and a write on SQLite blocks all writers.
      sql`SELECT id FROM share WHERE expires_at < ${millis(before)} LIMIT 1`.pipe(
        Effect.flatMap((rows) =>
          rows.length === 0 ? Effect.succeed(0) : transaction(sql)(deleteExpired(millis(before), limit))
        ),
        operation("shares.deleteExpired")
      ),

    remove: (ref) =>
      sql`DELETE FROM share WHERE ${isShare(ref)} RETURNING ${selected}`.pipe(
        Row.first(toShare),
        recordFound(sql, (removed) => shareEvent("share.deleted", removed)),
        Effect.map(Option.isSome),
        transaction(sql),
        operation("shares.remove")
      ),

    checkUpload: ({ bytes, now, shareId }) =>
      ShareRoom.checkRoom(sql, { shareId, bytes, now: millis(now) }).pipe(operation("shares.checkUpload")),

    countDownload: (shareId) =>
      sql`UPDATE share SET downloads = downloads + 1
        WHERE id = ${shareId} AND (max_downloads IS NULL OR downloads < max_downloads) RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        operation("shares.countDownload")
      ),

    countAttempt: ({ at, most, shareId, windowStart }) =>
      sql`UPDATE share SET
          attempts = CASE WHEN attempts_since < ${millis(windowStart)} THEN 1 ELSE attempts + 1 END,
          attempts_since = CASE WHEN attempts_since < ${millis(windowStart)} THEN ${millis(at)} ELSE attempts_since END
        WHERE id = ${shareId} AND (attempts < ${most} OR attempts_since < ${millis(windowStart)}) RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        operation("shares.countAttempt")
      ),

    forgetAttempts: (shareId) =>
      sql`UPDATE share SET attempts = 0 WHERE id = ${shareId}`.pipe(Effect.asVoid, operation("shares.forgetAttempts"))
  })
})

export const layer: Layer.Layer<ShareRepository, never, SqlClient> = Layer.effect(ShareRepository, make)
