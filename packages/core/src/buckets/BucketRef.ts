/**
 * How callers name a bucket.
 */

/** A bucket of a tenant. Both ids are needed: a bucket of another tenant is `NotFound`. */
export interface BucketRef {
  readonly tenantId: string
  readonly bucketId: string
}
