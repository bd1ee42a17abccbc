/**
 * `client.buckets`.
 */
import type * as Records from "./Records.ts"
import type { CallOptions, Transport } from "./Transport.ts"

const at = (tenantId: string, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  "tenants",
  tenantId,
  "buckets",
  ...more
]

export const make = (transport: Transport) => ({
  create: (
    { tenantId, ...json }: Records.InTenant & Records.CreateBucket,
    options?: CallOptions
  ): Promise<Records.BucketRecord> => transport.json({ ...options, method: "POST", path: at(tenantId), json }),

  list: (
    { cursor, limit, tenantId }: Records.InTenant & Records.PageRequest,
    options?: CallOptions
  ): Promise<Records.Page<Records.BucketRecord>> =>
    transport.json({ ...options, method: "GET", path: at(tenantId), query: { cursor, limit } }),

  get: ({ bucketId, tenantId }: Records.BucketRef, options?: CallOptions): Promise<Records.BucketRecord> =>
    transport.json({ ...options, method: "GET", path: at(tenantId, bucketId) }),

  update: (
    { bucketId, tenantId, ...json }: Records.BucketRef & Records.UpdateBucket,
    options?: CallOptions
  ): Promise<Records.BucketRecord> =>
    transport.json({ ...options, method: "PATCH", path: at(tenantId, bucketId), json }),

  /** Removes an empty bucket, with `force` one with all its files. */
  remove: ({ bucketId, force, tenantId }: Records.BucketRef & Records.Force, options?: CallOptions): Promise<void> =>
    transport.none({ ...options, method: "DELETE", path: at(tenantId, bucketId), query: { force } })
})

export type BucketsClient = ReturnType<typeof make>
