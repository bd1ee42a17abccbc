/**
 * Selects buckets and tenants that exist for requests. The rows of a removed one stay until all rows that refer to them are
 * deleted. A statement that locks a selected row `FOR KEY SHARE` keeps the bucket or tenant from being removed until its
 * transaction ends; if it is being removed, the statement waits and then does not select it.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"

/** Condition on a row of `bucket`: it is this bucket of this tenant, and not removed. */
export const isOpenBucket = (sql: SqlClient, { bucketId, tenantId }: BucketRef): Fragment =>
  sql`bucket.id = ${bucketId} AND bucket.tenant_id = ${tenantId} AND bucket.removed = 0`

/**
 * Returns a subquery for the id of a bucket; null unless the bucket belongs to the tenant and is not removed. A statement on files
 * compares their `bucket_id` with it instead of comparing both ids with the columns of each file: for the id of another
 * tenant's bucket it reads no file, and PostgreSQL does not multiply the probabilities of two columns of which one determines
 * the other.
 */
export const openBucket = (sql: SqlClient, bucket: BucketRef): Fragment =>
  sql`(SELECT bucket.id FROM bucket WHERE ${isOpenBucket(sql, bucket)})`

/**
 * Locks a bucket that exists, on PostgreSQL, so that it is not removed until the transaction ends. A removal locks the bucket before the
 * rows of its files and uploads. A transaction that locks such a row first, and needs the bucket later, would wait for the removal
 * while the removal waits for the row.
 */
export const lockOpenBucket = (sql: SqlClient, bucket: BucketRef) =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT id FROM bucket WHERE ${isOpenBucket(sql, bucket)} FOR KEY SHARE`),
    orElse: () => Effect.void
  })

/** Condition on a row of `tenant`: it is this tenant, and not removed. */
export const isOpenTenant = (sql: SqlClient, tenantId: string): Fragment =>
  sql`tenant.id = ${tenantId} AND tenant.removed = 0`

/** Returns a subquery for the id of a tenant; null when it is removed. */
export const openTenant = (sql: SqlClient, tenantId: string): Fragment =>
  sql`(SELECT tenant.id FROM tenant WHERE ${isOpenTenant(sql, tenantId)})`
