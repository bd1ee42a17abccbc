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
import * as Result from "effect/Result"
import * as GcsBlobStore from "./GcsBlobStore.ts"
import * as GcsMirrorTarget from "./GcsMirrorTarget.ts"
import type * as GcsOptions from "./GcsOptions.ts"
import * as ServiceAccount from "./internal/client/ServiceAccount.ts"

const checkStore = Is.record(
  {
    ...RequestOptions.checks,
    chunkBytes: Is.count(1),
    bucket: Is.text,
    credentials: Is.when(
      (value) => typeof value === "string" && Result.isSuccess(ServiceAccount.parse(value)),
      "must be the JSON document of a service account's key, as text"
    ),
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
  const { credentials, ...others } = AdapterOptions.read("gcs", options, checkStore)
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
  const given = AdapterOptions.read("gcsMirrors", options, checkMirrors)
  return { targets: { GCS: GcsMirrorTarget.open({ allowPrivate: false, ...given }) } }
}
