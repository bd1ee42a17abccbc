/**
 * The adapter for programs that do not use Effect: `open({ blobs: gcs({ bucket }), … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { GcsLocation } from "@holdfast/core/mirrors/targets/types/GcsTargetType"
import * as Redacted from "effect/Redacted"
import * as GcsBlobStore from "./GcsBlobStore.ts"
import * as GcsMirrorTarget from "./GcsMirrorTarget.ts"
import type * as GcsOptions from "./GcsOptions.ts"

/** Keeps contents in a bucket of Google Cloud Storage, which any number of processes may share. */
export const gcs = ({
  credentials,
  ...options
}: Omit<GcsOptions.Options, "credentials"> & {
  /**
   * The JSON document of a service account's key, as a text. When absent Google's SDK looks for credentials. It reaches
   * no log and no error.
   */
  readonly credentials?: string | undefined
}): BlobsAdapter => ({
  blobs: GcsBlobStore.layer({
    ...options,
    credentials: credentials === undefined ? undefined : Redacted.make(credentials)
  })
})

/**
 * Lets buckets be mirrored to buckets of Google Cloud Storage: those at addresses on the public Internet, unless
 * `allowPrivate` is set.
 */
export const gcsMirrors = (
  options: Partial<GcsMirrorTarget.Options> = {}
): { readonly targets: { readonly GCS: Open<GcsLocation> } } => ({
  targets: { GCS: GcsMirrorTarget.open({ allowPrivate: false, ...options }) }
})
