/**
 * Selects buckets that exist for requests.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"

/**
 * Returns a subquery for the id of a bucket; null unless the bucket belongs to the tenant. A statement on files compares their
 * `bucket_id` with it instead of comparing both ids with the columns of each file: for the id of another tenant's bucket it
 * reads no file, and PostgreSQL does not multiply the probabilities of two columns of which one determines the other.
 */
export const openBucket = (sql: SqlClient, { bucketId, tenantId }: BucketRef): Fragment =>
  sql`(SELECT bucket.id FROM bucket WHERE bucket.id = ${bucketId} AND bucket.tenant_id = ${tenantId})`
