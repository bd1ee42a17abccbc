/**
 * The keys of blobs: `tenant/bucket/blob`, three identifiers that the service makes. No text of a user is part of a key.
 * Therefore a rename changes one row, two names never collide, and no key can contain a path traversal.
 */
import * as Ids from "../Ids.ts"

export interface Parts {
  readonly tenantId: string
  readonly bucketId: string
  readonly blobId: string
}

/** Joins the parts to a key. */
export const make = (parts: Parts): string => `${parts.tenantId}/${parts.bucketId}/${parts.blobId}`

const identityParts = { tenantId: Ids.firstAt("ten", 0), bucketId: Ids.firstAt("bkt", 0) }

/** The prefix of the keys that identify a store (`StoreIdentity`). No tenant and no bucket has these ids. */
export const identityPrefix = `${identityParts.tenantId}/${identityParts.bucketId}/`

/** Returns the key under which a store has this identity. */
export const ofIdentity = (id: string): string => make({ ...identityParts, blobId: id })

/** Splits a key into its parts; undefined for a text that is not a key. */
export const parse = (key: string): Parts | undefined => {
  const [tenantId, bucketId, blobId, ...rest] = key.split("/")
  if (tenantId === undefined || bucketId === undefined || blobId === undefined || rest.length > 0) return undefined
  return Ids.is("ten", tenantId) && Ids.is("bkt", bucketId) && Ids.is("blb", blobId)
    ? { tenantId, bucketId, blobId }
    : undefined
}
