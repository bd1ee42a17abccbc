/**
 * The reference to a bucket that callers pass.
 */

/** A bucket of a tenant. Both ids must match: a bucket of another tenant is `NotFound`. */
export interface BucketRef {
  /** The `id` of the tenant. */
  readonly tenantId: string
  /** The `id` of the bucket. */
  readonly bucketId: string
}
