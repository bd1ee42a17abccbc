/**
 * Buckets of Google Cloud Storage.
 */
import * as Schema from "effect/Schema"
import * as Fields from "./internal/Fields.ts"
import * as TargetType from "./internal/TargetType.ts"

/** The descriptor of the type. */
export const gcs = TargetType.make({
  type: "GCS",
  wireName: "CLOUD_C",
  aliases: ["GCS"],
  adapter: "gcsMirrors() of @holdfast/gcs",
  fields: {
    projectId: Fields.CloudText,
    bucketName: Fields.CloudText,
    credentials: Fields.SecretDocument.annotate({ description: "The JSON document of a service account, as a text." }),
    endpoint: Schema.optional(Fields.Endpoint)
  },
  secretField: "credentials",
  changes: { credentials: Schema.optional(Fields.SecretDocument) },
  recordFields: { projectId: Schema.String, bucketName: Schema.String, endpoint: Fields.EndpointOrNull },
  recordDefaults: { endpoint: null }
})

/** Where a target of the type is, with the secret that opens it. */
export interface GcsLocation extends TargetType.Location<typeof gcs> {}
