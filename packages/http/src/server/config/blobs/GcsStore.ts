/**
 * Google Cloud Storage as the store of contents.
 */
import type * as GcsOptions from "@holdfast/gcs/GcsOptions"
import * as Result from "effect/Result"
import type { ConfigFault } from "../ConfigError.ts"
import { optional } from "../Setting.ts"
import * as WebTypes from "../WebTypes.ts"
import { name, prefix, secret } from "./StoreSettingTypes.ts"
import * as StoreType from "./StoreType.ts"

/** Any JSON object; the SDK checks its members when it first uses them. */
const json = /^\{[^\0]*\}$/

export const gcs = StoreType.make({
  name: "gcs",
  product: "Google Cloud Storage",
  settings: {
    gcsBucket: optional(
      ["HOLDFAST_GCS_BUCKET"],
      name,
      "Bucket of Google Cloud Storage for file contents. It must exist."
    ),
    gcsCredentials: optional(
      ["HOLDFAST_GCS_CREDENTIALS"],
      secret("the JSON document of a service account", json, "GcsCredentials"),
      "Service account that may read and write the GCS bucket. If unset, Google's libraries find credentials where they usually do."
    ),
    gcsEndpoint: optional(
      ["HOLDFAST_GCS_ENDPOINT"],
      WebTypes.baseUrl,
      "URL of a service compatible with Google Cloud Storage. If unset, Google's own is used."
    ),
    gcsProjectId: optional(
      ["HOLDFAST_GCS_PROJECT_ID"],
      name,
      "Project that pays for requests to a GCS bucket with requester pays."
    ),
    gcsPrefix: prefix("HOLDFAST_GCS_PREFIX")
  },
  bucket: "gcsBucket",
  resolve: (values, { missing }): Result.Result<GcsOptions.Options, ConfigFault> =>
    values.gcsBucket === undefined
      ? missing("gcsBucket")
      : Result.succeed({
          bucket: values.gcsBucket,
          endpoint: values.gcsEndpoint,
          projectId: values.gcsProjectId,
          prefix: values.gcsPrefix,
          credentials: values.gcsCredentials
        }),
  package: "@holdfast/gcs",
  load: async (options: GcsOptions.Options) => (await import("@holdfast/gcs/GcsBlobStore")).layer(options)
})
