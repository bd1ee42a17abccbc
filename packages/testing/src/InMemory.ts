/**
 * A Holdfast in memory, for the tests of an application.
 */
import type { OpenOptions } from "@holdfast/core"
import * as MemoryMetadata from "./metadata/MemoryMetadata.ts"
import * as MemoryBlobStore from "./storage/MemoryBlobStore.ts"

/**
 * Returns options of `open` for an empty Holdfast in memory. It does not sweep: removed files keep their bytes until it is
 * closed.
 *
 * @example
 * await using holdfast = await open(inMemory())
 */
export const inMemory = (): Pick<OpenOptions, "blobs" | "metadata" | "sweepEvery"> => ({
  metadata: { metadata: MemoryMetadata.layer },
  blobs: { blobs: MemoryBlobStore.layer },
  sweepEvery: false
})
