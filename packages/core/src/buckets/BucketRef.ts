/**
 * The reference to a bucket that callers pass.
 */

/** A bucket of a tenant. Both ids must match: a bucket of another tenant is `NotFound`. */
export interface BucketRef {
  readonly tenantId: string
  readonly bucketId: string
}
