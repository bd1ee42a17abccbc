/**
 * `client.mirrors`.
 */
import type * as Records from "./Records.ts"
import type { CallOptions, Transport } from "./Transport.ts"

export interface MirrorRef extends Records.BucketRef {
  readonly mirrorId: string
}

const at = ({ bucketId, tenantId }: Records.BucketRef, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  "tenants",
  tenantId,
  "buckets",
  bucketId,
  "mirrors",
  ...more
]

export const make = (transport: Transport) => ({
  /** Mirrors a bucket elsewhere. Unless `verify` is false the target must answer first. */
  create: (
    { bucketId, tenantId, ...json }: Records.BucketRef & Records.CreateMirror,
    options?: CallOptions
  ): Promise<Records.MirrorRecord> =>
    transport.json({ ...options, method: "POST", path: at({ tenantId, bucketId }), json }),

  list: (
    { cursor, limit, ...ref }: Records.BucketRef & Records.PageRequest,
    options?: CallOptions
  ): Promise<Records.Page<Records.MirrorRecord>> =>
    transport.json({ ...options, method: "GET", path: at(ref), query: { cursor, limit } }),

  /** A mirror, and how far behind it is. */
  get: ({ mirrorId, ...ref }: MirrorRef, options?: CallOptions): Promise<Records.MirrorRecord> =>
    transport.json({ ...options, method: "GET", path: at(ref, mirrorId) }),

  /** Renames a mirror, pauses or resumes it, or gives it other credentials. */
  update: (
    { bucketId, mirrorId, tenantId, ...json }: MirrorRef & Records.UpdateMirror,
    options?: CallOptions
  ): Promise<Records.MirrorRecord> =>
    transport.json({ ...options, method: "PATCH", path: at({ tenantId, bucketId }, mirrorId), json }),

  /** Removes a mirror; what it has copied stays at the target. */
  remove: ({ mirrorId, ...ref }: MirrorRef, options?: CallOptions): Promise<void> =>
    transport.none({ ...options, method: "DELETE", path: at(ref, mirrorId) }),

  /** Has the target compared with the bucket, and what is missing or different there copied anew. */
  sync: ({ mirrorId, ...ref }: MirrorRef, options?: CallOptions): Promise<Records.MirrorRecord> =>
    transport.json({ ...options, method: "POST", path: at(ref, mirrorId, "sync") }),

  /** What became of each file. */
  files: (
    {
      cursor,
      limit,
      mirrorId,
      state,
      ...ref
    }: MirrorRef & Records.PageRequest & { readonly state?: Records.MirrorFileRecord["state"] | undefined },
    options?: CallOptions
  ): Promise<Records.Page<Records.MirrorFileRecord>> =>
    transport.json({ ...options, method: "GET", path: at(ref, mirrorId, "files"), query: { cursor, limit, state } })
})

export type MirrorsClient = ReturnType<typeof make>
