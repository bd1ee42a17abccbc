/**
 * Adapters in memory for the Promise API.
 */
import type { BlobsAdapter, MetadataAdapter } from "@holdfast/core"
import * as MemoryMetadata from "./metadata/MemoryMetadata.ts"
import * as MemoryBlobStore from "./storage/MemoryBlobStore.ts"

/**
 * Returns an adapter for metadata and for contents, which are stored in the memory of this process until the Holdfast is closed.
 * Each Holdfast begins empty.
 *
 * @example
 * await using holdfast = await open({ metadata: memory(), blobs: memory() })
 */
export const memory = (): MetadataAdapter & BlobsAdapter => ({
  metadata: MemoryMetadata.layer,
  blobs: MemoryBlobStore.layer
})
