/**
 * Steps that tests of shares have in common.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { StoredShare } from "@holdfast/core/files/shares/Share"
import { ShareRepository } from "@holdfast/core/files/shares/ShareRepository"
import * as Effect from "effect/Effect"
import * as Sample from "../Sample.ts"

/** Returns a share of a whole bucket that is not stored yet. */
export const newShare = ({ bucketId, tenantId }: BucketRef, fields: Partial<StoredShare> = {}): StoredShare => ({
  id: Sample.id("shr"),
  tenantId,
  bucketId,
  name: "A share",
  fileId: null,
  path: "/",
  may: ["view"],
  expiresAt: null,
  password: null,
  passwordVersion: 0,
  maxDownloads: null,
  downloads: 0,
  maxFiles: null,
  maxBytes: null,
  uploadedFiles: 0,
  uploadedBytes: 0,
  createdBy: null,
  createdAt: Sample.at(),
  updatedAt: Sample.at(),
  ...fields
})

/** Stores a share of a bucket. */
export const create = Effect.fnUntraced(function* (bucket: BucketRef, fields: Partial<StoredShare> = {}) {
  const share = newShare(bucket, fields)
  const hash = Sample.hash()
  yield* (yield* ShareRepository).create({ share, hash })
  const { bucketId, tenantId } = bucket
  return { share, hash, ref: { tenantId, bucketId, shareId: share.id } }
})
