/**
 * Containers of Azure Blob Storage.
 */
import * as Schema from "effect/Schema"
import * as Fields from "./internal/Fields.ts"
import * as TargetType from "./internal/TargetType.ts"

/** The descriptor of the type. */
export const azureBlob = TargetType.make({
  type: "AZURE_BLOB",
  wireName: "CLOUD_B",
  aliases: ["AZURE_BLOB"],
  adapter: "azureMirrors() of @holdfast/azure",
  fields: {
    accountName: Fields.CloudText,
    containerName: Fields.CloudText,
    accountKey: Fields.Base64Secret,
    // The address of the account's blob service; `https://<accountName>.blob.core.windows.net` when absent.
    endpoint: Schema.optional(Fields.Endpoint)
  },
  secretField: "accountKey",
  changes: { accountKey: Schema.optional(Fields.Base64Secret) },
  recordFields: { accountName: Schema.String, containerName: Schema.String, endpoint: Fields.EndpointOrNull },
  recordDefaults: { endpoint: null }
})

/** Where a target of the type is, with the secret that opens it. */
export interface AzureBlobLocation extends TargetType.Location<typeof azureBlob> {}
