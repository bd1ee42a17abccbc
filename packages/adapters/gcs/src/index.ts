/**
 * The adapters for the Promise API: `open({ blobs: gcs({ bucket }), … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import * as Is from "@holdfast/core/inputs/OptionChecks"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { GcsLocation } from "@holdfast/core/mirrors/targets/types/GcsTargetType"
import * as AdapterOptions from "@holdfast/core/promises/AdapterOptions"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as RequestOptions from "@holdfast/outbound/RequestOptions"
import * as Redacted from "effect/Redacted"
import * as GcsBlobStore from "./GcsBlobStore.ts"
import * as GcsMirrorTarget from "./GcsMirrorTarget.ts"
import type * as GcsOptions from "./GcsOptions.ts"

const isJsonObject = (value: unknown): boolean => {
  try {
    return typeof value === "string" && Is.isRecord(JSON.parse(value))
  } catch {
    return false
  }
}

const checkStore = Is.record(
  {
    ...RequestOptions.checks,
    chunkBytes: Is.count(1),
    bucket: Is.text,
    credentials: Is.when(isJsonObject, "must be the JSON document of a service account's key, as text"),
    projectId: Is.text,
    endpoint: Endpoint.check,
    prefix: Is.oneOf([""], Is.text)
  } satisfies AdapterOptions.Checks<GcsOptions.Options>,
  { bucket: "the name of a bucket that exists" }
)

const checkMirrors = Is.record({
  ...RequestOptions.checks,
  chunkBytes: Is.count(1),
  allowPrivate: Is.boolean
} satisfies AdapterOptions.Checks<GcsOptions.MirrorOptions>)

/**
 * Stores contents in a bucket of Google Cloud Storage. Any number of processes may share the bucket. Throws `InvalidRequest` for options
 * that are not valid.
 */
export const gcs = (
  options: Omit<GcsOptions.Options, "credentials"> & {
    /**
     * The JSON document of a service account's key, as text. When absent, Google's library finds credentials. It appears
     * in no log and no error.
     */
    readonly credentials?: string | undefined
  }
): BlobsAdapter => {
  AdapterOptions.check("gcs", options, checkStore)
  const { credentials, ...others } = options
  return {
    blobs: GcsBlobStore.layer({
      ...others,
      credentials: credentials === undefined ? undefined : Redacted.make(credentials)
    })
  }
}

/**
 * Permits mirrors to buckets of Google Cloud Storage. Their addresses must be on the public Internet unless
 * `allowPrivate` is set. Throws `InvalidRequest` for options that are not valid.
 */
export const gcsMirrors = (
  options: Partial<GcsOptions.MirrorOptions> = {}
): { readonly targets: { readonly GCS: Open<GcsLocation> } } => {
  AdapterOptions.check("gcsMirrors", options, checkMirrors)
  return { targets: { GCS: GcsMirrorTarget.open({ allowPrivate: false, ...options }) } }
}
