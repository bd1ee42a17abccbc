/**
 * The adapter for programs that do not use Effect: `open({ blobs: fs({ directory }), … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import * as FsBlobStore from "./FsBlobStore.ts"

/** Keeps contents in a directory of a local disk, which one process at a time holds open. */
export const fs = (options: FsBlobStore.Options): BlobsAdapter => ({ blobs: FsBlobStore.layer(options) })
