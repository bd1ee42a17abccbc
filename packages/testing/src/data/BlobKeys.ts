/**
 * Keys of blobs for tests.
 */
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Generate from "./Generate.ts"

/** Returns the `index`-th key of one bucket. */
export const key = (index: number): string =>
  BlobKey.make({
    tenantId: Generate.id("ten", 1, 0),
    bucketId: Generate.id("bkt", 2, 0),
    blobId: Generate.id("blb", 3, index)
  })
