/**
 * The adapter for the Promise API: `open({ blobs: fs({ directory }), … })`.
 */
import type { BlobsAdapter, WorkspaceAdapter } from "@holdfast/core"
import * as Is from "@holdfast/core/inputs/OptionChecks"
import * as AdapterOptions from "@holdfast/core/promises/AdapterOptions"
import * as Path from "node:path"
import * as FsBlobStore from "./FsBlobStore.ts"
import * as FsConversionWorkspace from "./FsConversionWorkspace.ts"

const checkStore = Is.record(
  { directory: Is.path, reserveBytes: Is.count(0) } satisfies AdapterOptions.Checks<FsBlobStore.Options>,
  { directory: 'where contents are stored, such as "data"' }
)

const checkWorkspace = Is.record(
  {
    directory: Is.path,
    forOtherUser: Is.boolean,
    reserveBytes: Is.count(0)
  } satisfies AdapterOptions.Checks<FsConversionWorkspace.Options>,
  { directory: 'where videos are converted, such as "data/conversions"' }
)

/**
 * Stores contents in a directory of a local disk, which one process at a time may have open. Videos are converted in its
 * subdirectory `conversions`. Throws `InvalidRequest` for options that are not valid.
 */
export const fs = (options: FsBlobStore.Options): BlobsAdapter => {
  const given = AdapterOptions.read("fs", options, checkStore)
  return {
    blobs: FsBlobStore.layer(given),
    ...workspace({ directory: Path.join(given.directory, "conversions") })
  }
}

/**
 * Converts videos in a directory of a local disk, for contents that are stored elsewhere. Throws `InvalidRequest` for options that are not
 * valid.
 */
export const workspace = (options: FsConversionWorkspace.Options): WorkspaceAdapter => {
  return { workspace: FsConversionWorkspace.layer(AdapterOptions.read("workspace", options, checkWorkspace)) }
}
