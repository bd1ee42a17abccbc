/**
 * The BucketRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import {
  type Bucket,
  BucketExists,
  BucketNotEmpty,
  type UpdateBucket,
  type Visibility
} from "@holdfast/core/buckets/Bucket"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import * as ShareRules from "@holdfast/core/buckets/ShareRules"
import { NotFound } from "@holdfast/core/Errors"
import type { Action, Detail } from "@holdfast/core/events/Event"
import * as Constraint from "../Constraint.ts"
import { among, lock, millis, unplanned, unplannedText } from "../Dialect.ts"
import { type Change, changedFields, record, recordFound } from "../events/RecordEvent.ts"
import * as Counted from "../quotas/Counted.ts"
import { noteRefusal } from "../quotas/ReachedLimits.ts"
import { requireRoom } from "../quotas/RequireRoom.ts"
import * as Reads from "../../Reads.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import * as ContentRuleColumns from "./ContentRuleColumns.ts"
import * as ShareRuleColumn from "./ShareRuleColumn.ts"
import { isOpenBucket, isOpenTenant } from "./OpenBucket.ts"
import { markBuckets } from "./Removals.ts"
import { countFiles, countShares, removeBuckets, removedAtOnce } from "./RemoveBuckets.ts"

const toBucket: Row.FromRow<Bucket> = (row) => ({
  id: Row.text(row, "id"),
  name: Row.text(row, "name"),
  maxBytes: Row.orNull(Row.int, row, "max_bytes"),
  maxFiles: Row.orNull(Row.int, row, "max_files"),
  ...ContentRuleColumns.read(row),
  visibility: row.visibility === "public" ? "public" : "private",
  shares: ShareRuleColumn.read(row),
  createdAt: Row.instant(row, "created_at"),
  updatedAt: Row.instant(row, "updated_at")
})

const bucketEvent = (
  tenantId: string,
  action: Action,
  { id, name }: Pick<Bucket, "id" | "name">,
  detail: Detail = {}
): Change => ({ tenantId, bucketId: id, action, target: { id, name }, detail })

/** Null for a private bucket, as for one that a version without public buckets created. */
const visibilityColumn = (visibility: Visibility): string | null => (visibility === "public" ? visibility : null)

/** Returns the new visibility as a fact of an event: who may read is what an auditor looks for. */
const visibilityDetail = ({ visibility }: Pick<UpdateBucket, "visibility">): Detail =>
  visibility === undefined ? {} : { visibility }

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = yield* Reads.make(sql)
  const columns = sql.literal(
    `id, name, max_bytes, max_files, ${ContentRuleColumns.names}, visibility, share_rules, created_at, updated_at`
  )

  const orBucketExists = (tenantId: string, name: string) =>
    Constraint.mapUniqueViolation({
      index: Constraint.bucketName,
      findExisting: sql`SELECT id FROM bucket WHERE tenant_id = ${tenantId} AND name = ${name} AND removed = 0`,
      toError: (existingId) => new BucketExists({ existingId })
    })

  const remove = Effect.fnUntraced(function* (bucket: BucketRef, force: boolean, sweepAt: number) {
    const buckets = isOpenBucket(sql, bucket)
    const bucketIds = [bucket.bucketId]
    // No file can be inserted into a locked bucket.
    const [found] = yield* sql`SELECT ${columns} FROM bucket WHERE ${buckets} ${lock(sql, "FOR UPDATE")}`.pipe(
      Row.all(toBucket)
    )
    if (found === undefined) return false
    if (!force && (yield* countFiles(sql, bucket.bucketId, 1)) > 0) return yield* new BucketNotEmpty()
    const files = yield* countFiles(sql, bucket.bucketId, removedAtOnce + 1)
    const shares = yield* countShares(sql, bucket.bucketId, removedAtOnce + 1)
    const isLarge = files > removedAtOnce || shares > removedAtOnce
    yield* record(sql, bucketEvent(bucket.tenantId, "bucket.deleted", found, isLarge ? { files: null } : { files }))
    yield* isLarge ? markBuckets(sql, { bucketIds, sweepAt }) : removeBuckets(sql, { bucketIds, sweepAt })
    return true
  })

  return BucketRepository.of({
    create: (tenantId, bucket) =>
      requireRoom(sql, tenantId, ({ buckets }) => [
        { limit: "buckets", maximum: buckets, rows: Counted.buckets(sql, tenantId) }
      ]).pipe(
        Effect.andThen(sql`INSERT INTO bucket (id, tenant_id, name, max_bytes, max_files, max_file_bytes, allowed_types, visibility, share_rules, created_at, updated_at)
        SELECT ${bucket.id}, tenant.id, ${bucket.name}, ${bucket.maxBytes}, ${bucket.maxFiles}, ${bucket.maxFileBytes}, ${ContentRuleColumns.encodeTypes(bucket.allowedTypes)},
          ${visibilityColumn(bucket.visibility)}, ${ShareRuleColumn.encode(bucket.shares)},
          ${millis(bucket.createdAt)}, ${millis(bucket.updatedAt)}
        FROM tenant WHERE ${isOpenTenant(sql, tenantId)} ${lock(sql, "FOR KEY SHARE")} RETURNING id`),
        Row.orFail(() => new NotFound({ resource: "tenant" })),
        Effect.andThen(
          record(
            sql,
            bucketEvent(
              tenantId,
              "bucket.created",
              bucket,
              visibilityDetail(bucket.visibility === "public" ? bucket : {})
            )
          )
        ),
        transaction(sql),
        noteRefusal(sql, tenantId),
        orBucketExists(tenantId, bucket.name),
        operation("buckets.create")
      ),

    find: (bucket) =>
      read((client) => client`SELECT ${columns} FROM bucket WHERE ${isOpenBucket(client, bucket)}`).pipe(
        Row.first(toBucket),
        operation("buckets.find")
      ),

    findByName: (tenantId, name) =>
      read(
        (client) =>
          client`SELECT ${columns} FROM bucket WHERE tenant_id = ${tenantId} AND name = ${name} AND removed = 0`
      ).pipe(Row.first(toBucket), operation("buckets.findByName")),

    list: ({ after, limit, only, tenantId }) =>
      sql`SELECT ${columns} FROM bucket WHERE tenant_id = ${unplannedText(sql, tenantId)} AND id > ${after ?? ""} AND removed = 0
          AND ${only === undefined ? sql.literal("1 = 1") : among(sql, "id", only)}
        ORDER BY id LIMIT ${unplanned(sql, limit)}`.pipe(Row.all(toBucket), operation("buckets.list")),

    update: ({ at, bucket, change }) =>
      sql`UPDATE bucket SET ${sql.update({
        updated_at: millis(at),
        ...(change.name === undefined ? undefined : { name: change.name }),
        ...(change.maxBytes === undefined ? undefined : { max_bytes: change.maxBytes }),
        ...(change.maxFiles === undefined ? undefined : { max_files: change.maxFiles }),
        ...ContentRuleColumns.changed(change),
        ...(change.visibility === undefined ? undefined : { visibility: visibilityColumn(change.visibility) }),
        ...(change.shares === undefined
          ? undefined
          : { share_rules: ShareRuleColumn.encode(ShareRules.fromInput(change.shares)) })
      })} WHERE ${isOpenBucket(sql, bucket)} RETURNING ${columns}`.pipe(
        Row.first(toBucket),
        recordFound(sql, (updated) =>
          bucketEvent(bucket.tenantId, "bucket.updated", updated, {
            ...changedFields(change),
            ...visibilityDetail(change)
          })
        ),
        transaction(sql),
        orBucketExists(bucket.tenantId, change.name ?? ""),
        operation("buckets.update")
      ),

    remove: ({ bucket, force, sweepAt }) =>
      remove(bucket, force, millis(sweepAt)).pipe(transaction(sql), operation("buckets.remove"))
  })
})

export const layer: Layer.Layer<BucketRepository, never, SqlClient> = Layer.effect(BucketRepository, make)
