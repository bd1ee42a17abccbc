/**
 * Buckets of other tenants of the same deployment. `SERVICE` and `service…` are their names on the wire and in the database.
 */
import * as Schema from "effect/Schema"
import * as Fields from "./Fields.ts"
import * as TargetType from "./TargetType.ts"

/** The descriptor of the type. */
export const tenantBucket = TargetType.make({
  type: "TENANT_BUCKET",
  wireName: "SERVICE",
  aliases: [],
  fields: {
    serviceTenantId: Fields.Text,
    serviceBucketId: Fields.Text,
    apiKey: Fields.Secret.annotate({ description: "An API key of the target tenant that may read and write files." })
  },
  secretField: "apiKey",
  changes: { apiKey: Schema.optional(Fields.Secret) },
  recordFields: { serviceTenantId: Schema.String, serviceBucketId: Schema.String },
  recordDefaults: {}
})

/** Where a target of the type is, with the secret that opens it. */
export interface TenantBucketLocation extends TargetType.Location<typeof tenantBucket> {}
