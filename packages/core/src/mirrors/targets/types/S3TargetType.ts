/**
 * Buckets of Amazon S3, or of a service compatible with it.
 */
import * as Schema from "effect/Schema"
import * as Fields from "./internal/Fields.ts"
import * as TargetType from "./internal/TargetType.ts"

/** The descriptor of the type. */
export const s3 = TargetType.make({
  type: "S3",
  wireName: "CLOUD_A",
  aliases: ["S3"],
  adapter: "s3Mirrors() of @holdfast/s3",
  fields: {
    region: Fields.CloudText,
    bucketName: Fields.CloudText,
    accessKeyId: Fields.CloudText,
    secretAccessKey: Fields.Secret,
    endpoint: Schema.optional(Fields.Endpoint),
    forcePathStyle: Schema.optional(Schema.Boolean).annotate({
      description: "Whether requests name the bucket in the path instead of the host. Useful with an `endpoint`."
    })
  },
  secretField: "secretAccessKey",
  changes: {
    accessKeyId: Schema.optional(Fields.CloudText).annotate({
      description: "Only together with its `secretAccessKey`."
    }),
    secretAccessKey: Schema.optional(Fields.Secret)
  },
  recordFields: {
    region: Schema.String,
    bucketName: Schema.String,
    accessKeyId: Schema.String,
    endpoint: Fields.EndpointOrNull,
    forcePathStyle: Schema.Boolean
  },
  recordDefaults: { endpoint: null, forcePathStyle: false }
})

/** Where a target of the type is, with the secret that opens it. */
export interface S3Location extends TargetType.Location<typeof s3> {}
