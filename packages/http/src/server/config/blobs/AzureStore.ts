/**
 * Azure Blob Storage as the store of contents.
 */
import type * as AzureOptions from "@holdfast/azure/AzureOptions"
import * as Result from "effect/Result"
import type { ConfigFault } from "../ConfigError.ts"
import { optional } from "../Setting.ts"
import * as WebTypes from "../WebTypes.ts"
import { name, prefix, printable, secret } from "./StoreSettingTypes.ts"
import * as StoreType from "./StoreType.ts"

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

export const azure = StoreType.make({
  name: "azure",
  product: "Azure Blob Storage",
  settings: {
    azureContainer: optional(
      ["HOLDFAST_AZURE_CONTAINER"],
      name,
      "Container of Azure Blob Storage for file contents. It must exist."
    ),
    azureAccountName: optional(["HOLDFAST_AZURE_ACCOUNT_NAME"], name, "Storage account of the Azure container."),
    azureAccountKey: optional(
      ["HOLDFAST_AZURE_ACCOUNT_KEY"],
      secret("an account key in base64", base64, "AzureAccountKey"),
      "Key of the storage account."
    ),
    azureSas: optional(
      ["HOLDFAST_AZURE_SAS"],
      secret("a shared access signature", printable, "AzureSas"),
      "Shared access signature for the account or the container, instead of the account key."
    ),
    azureConnectionString: optional(
      ["HOLDFAST_AZURE_CONNECTION_STRING"],
      secret("a connection string", printable, "AzureConnectionString"),
      "Connection string of the storage account, instead of the account name and key."
    ),
    azureEndpoint: optional(
      ["HOLDFAST_AZURE_ENDPOINT"],
      WebTypes.baseUrl,
      "URL of the account's blob service. If unset, the usual URL of Azure is used."
    ),
    azurePrefix: prefix("HOLDFAST_AZURE_PREFIX")
  },
  bucket: "azureContainer",
  resolve: (values, { fail, missing, variable }): Result.Result<AzureOptions.Options, ConfigFault> => {
    const { azureAccountKey, azureAccountName, azureConnectionString, azureContainer: container, azureSas } = values
    if (container === undefined) return missing("azureContainer")
    const prefix = values.azurePrefix
    const [first, second] = (["azureAccountKey", "azureSas", "azureConnectionString"] as const).filter(
      (name) => values[name] !== undefined
    )
    if (first === undefined) {
      return missing("azureAccountKey", `or ${variable("azureSas")} or ${variable("azureConnectionString")}`)
    }
    if (second !== undefined) return fail(second, `cannot be set together with ${variable(first)}`)
    if (azureConnectionString !== undefined) {
      return Result.succeed({ container, prefix, connectionString: azureConnectionString })
    }
    if (azureAccountName === undefined) return missing("azureAccountName")
    const account = { container, prefix, accountName: azureAccountName, endpoint: values.azureEndpoint }
    if (azureAccountKey !== undefined) return Result.succeed({ ...account, accountKey: azureAccountKey })
    return azureSas === undefined ? missing("azureSas") : Result.succeed({ ...account, sas: azureSas })
  },
  package: "@holdfast/azure",
  load: async (options: AzureOptions.Options) => (await import("@holdfast/azure/AzureBlobStore")).layer(options)
})
