/**
 * The adapters for the Promise API: `open({ blobs: gcs({ bucket }), … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { GcsLocation } from "@holdfast/core/mirrors/targets/types/GcsTargetType"
import * as Redacted from "effect/Redacted"
import * as GcsBlobStore from "./GcsBlobStore.ts"
import * as GcsMirrorTarget from "./GcsMirrorTarget.ts"
import type * as GcsOptions from "./GcsOptions.ts"

/** Stores contents in a bucket of Google Cloud Storage. Any number of processes may share the bucket. */
export const gcs = ({
  credentials,
  ...options
}: Omit<GcsOptions.Options, "credentials"> & {
  /**
   * The JSON document of a service account's key, as text. When absent, Google's library finds credentials. It appears
   * in no log and no error.
   */
  readonly credentials?: string | undefined
}): BlobsAdapter => ({
  blobs: GcsBlobStore.layer({
    ...options,
    credentials: credentials === undefined ? undefined : Redacted.make(credentials)
  })
})

/**
 * Permits mirrors to buckets of Google Cloud Storage. Their addresses must be on the public Internet unless
 * `allowPrivate` is set.
 */
export const gcsMirrors = (
  options: Partial<GcsOptions.MirrorOptions> = {}
): { readonly targets: { readonly GCS: Open<GcsLocation> } } => ({
  targets: { GCS: GcsMirrorTarget.open({ allowPrivate: false, ...options }) }
})
