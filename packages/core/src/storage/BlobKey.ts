/**
 * Keys of blobs: `tenant/bucket/blob`, three identifiers and nothing that a user wrote. So a rename is one row, two
 * names never collide, and a path traversal cannot be spelt.
 */
import * as Ids from "../Ids.ts"

export interface Parts {
  readonly tenantId: string
  readonly bucketId: string
  readonly blobId: string
}

export const make = (parts: Parts): string => `${parts.tenantId}/${parts.bucketId}/${parts.blobId}`

/** The parts of a key, undefined for a text that is no key. */
export const parse = (key: string): Parts | undefined => {
  const [tenantId, bucketId, blobId, ...rest] = key.split("/")
  if (tenantId === undefined || bucketId === undefined || blobId === undefined || rest.length > 0) return undefined
  return Ids.is("ten", tenantId) && Ids.is("bkt", bucketId) && Ids.is("blb", blobId)
    ? { tenantId, bucketId, blobId }
    : undefined
}
