/**
 * The adapter for the Promise API: `open({ blobs: fs({ directory }), … })`.
 */
import type { BlobsAdapter, WorkspaceAdapter } from "@holdfast/core"
import * as Path from "node:path"
import * as FsBlobStore from "./FsBlobStore.ts"
import * as FsConversionWorkspace from "./FsConversionWorkspace.ts"

/**
 * Stores contents in a directory of a local disk, which one process at a time may have open. Videos are converted in its
 * subdirectory `conversions`.
 */
export const fs = (options: FsBlobStore.Options): BlobsAdapter => ({
  blobs: FsBlobStore.layer(options),
  ...workspace({ directory: Path.join(options.directory, "conversions") })
})

/** Converts videos in a directory of a local disk, for contents that are stored elsewhere. */
export const workspace = (options: FsConversionWorkspace.Options): WorkspaceAdapter => ({
  workspace: FsConversionWorkspace.layer(options)
})
