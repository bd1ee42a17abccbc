/**
 * The BucketRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { type Bucket, BucketExists, BucketNotEmpty } from "@holdfast/core/buckets/Bucket"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { NotFound } from "@holdfast/core/Errors"
import * as Constraint from "../Constraint.ts"
import { lock, millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { removeBuckets } from "./RemoveBuckets.ts"

const toBucket: Row.FromRow<Bucket> = (row) => ({
  id: Row.text(row, "id"),
  name: Row.text(row, "name"),
  createdAt: Row.instant(row, "created_at"),
  updatedAt: Row.instant(row, "updated_at")
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const columns = sql.literal("id, name, created_at, updated_at")

  const orBucketExists = (tenantId: string, name: string) =>
    Constraint.mapUniqueViolation({
      index: Constraint.bucketName,
      findExisting: sql`SELECT id FROM bucket WHERE tenant_id = ${tenantId} AND name = ${name}`,
      toError: (existingId) => new BucketExists({ existingId })
    })

  const remove = Effect.fnUntraced(function* ({ bucketId, tenantId }: BucketRef, force: boolean, sweepAt: number) {
    const buckets = sql`id = ${bucketId} AND tenant_id = ${tenantId}`
    const files = sql`tenant_id = ${tenantId} AND bucket_id = ${bucketId}`
    // No file can be inserted into a locked bucket.
    const found = yield* sql`SELECT id FROM bucket WHERE ${buckets} ${lock(sql, "FOR UPDATE")}`
    if (found.length === 0) return false
    if (!force && (yield* sql`SELECT id FROM file WHERE ${files} LIMIT 1`).length > 0)
      return yield* new BucketNotEmpty()
    yield* removeBuckets(sql, { buckets, files, sweepAt })
    return true
  })

  return BucketRepository.of({
    create: (tenantId, bucket) =>
      sql`INSERT INTO bucket (id, tenant_id, name, created_at, updated_at)
        VALUES (${bucket.id}, ${tenantId}, ${bucket.name}, ${millis(bucket.createdAt)}, ${millis(bucket.updatedAt)})`.pipe(
        Constraint.mapViolation(Constraint.isForeignKeyViolation, () => new NotFound({ resource: "tenant" })),
        orBucketExists(tenantId, bucket.name),
        Effect.asVoid,
        operation("buckets.create")
      ),

    find: ({ bucketId, tenantId }) =>
      sql`SELECT ${columns} FROM bucket WHERE id = ${bucketId} AND tenant_id = ${tenantId}`.pipe(
        Row.first(toBucket),
        operation("buckets.find")
      ),

    list: ({ after, limit, tenantId }) =>
      sql`SELECT ${columns} FROM bucket WHERE tenant_id = ${tenantId} AND id > ${after ?? ""}
        ORDER BY id LIMIT ${limit}`.pipe(Row.all(toBucket), operation("buckets.list")),

    update: ({ at, bucket: { bucketId, tenantId }, change }) =>
      sql`UPDATE bucket SET ${sql.update({
        updated_at: millis(at),
        ...(change.name === undefined ? undefined : { name: change.name })
      })} WHERE id = ${bucketId} AND tenant_id = ${tenantId} RETURNING ${columns}`.pipe(
        Row.first(toBucket),
        orBucketExists(tenantId, change.name ?? ""),
        operation("buckets.update")
      ),

    remove: ({ bucket, force, sweepAt }) =>
      remove(bucket, force, millis(sweepAt)).pipe(transaction(sql), operation("buckets.remove"))
  })
})

export const layer: Layer.Layer<BucketRepository, never, SqlClient> = Layer.effect(BucketRepository, make)
