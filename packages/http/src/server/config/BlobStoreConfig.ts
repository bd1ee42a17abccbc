/**
 * The configured blob store with its options, resolved from the settings that only make sense together.
 */
import type * as AzureOptions from "@holdfast/azure/AzureOptions"
import type * as S3Options from "@holdfast/s3/S3Options"
import type * as GcsOptions from "@holdfast/gcs/GcsOptions"
import * as Result from "effect/Result"
import * as BlobStoreSettings from "./BlobStoreSettings.ts"
import type { ConfigFault } from "./ConfigError.ts"

export type BlobStoreConfig =
  | { readonly store: "fs" }
  | { readonly store: "s3"; readonly options: S3Options.Options }
  | { readonly store: "azure"; readonly options: AzureOptions.Options }
  | { readonly store: "gcs"; readonly options: GcsOptions.Options }

type Name = keyof BlobStoreSettings.Values

const variable = (name: Name): string => BlobStoreSettings.settings[name].variables[0]

const fault = (name: Name, problem: string): Result.Result<never, ConfigFault> =>
  Result.fail({ source: variable(name), problem })

/**
 * The setting that names each store's bucket. Set for a store that is not chosen, it is a fault: it would be ignored.
 */
const bucketSettings = { s3: "s3Bucket", azure: "azureContainer", gcs: "gcsBucket" } as const

const missing = (name: Name, { blobs }: BlobStoreSettings.Values) =>
  fault(name, `must be set, since ${variable("blobs")} is ${blobs}`)

const s3 = (values: BlobStoreSettings.Values): Result.Result<BlobStoreConfig, ConfigFault> => {
  const { s3AccessKeyId: accessKeyId, s3Bucket: bucket, s3SecretAccessKey: secretAccessKey } = values
  if (bucket === undefined) return missing("s3Bucket", values)
  if (accessKeyId === undefined && secretAccessKey !== undefined) {
    return fault("s3AccessKeyId", `must be set together with ${variable("s3SecretAccessKey")}`)
  }
  if (accessKeyId !== undefined && secretAccessKey === undefined) {
    return fault("s3SecretAccessKey", `must be set together with ${variable("s3AccessKeyId")}`)
  }
  return Result.succeed({
    store: "s3",
    options: {
      bucket,
      region: values.s3Region,
      endpoint: values.s3Endpoint,
      forcePathStyle: values.s3ForcePathStyle,
      prefix: values.s3Prefix,
      credentials:
        accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey }
    }
  })
}

const azure = (values: BlobStoreSettings.Values): Result.Result<BlobStoreConfig, ConfigFault> => {
  const { azureAccountKey, azureAccountName, azureConnectionString, azureContainer: container, azureSas } = values
  if (container === undefined) return missing("azureContainer", values)
  const prefix = values.azurePrefix
  const [first, second] = (["azureAccountKey", "azureSas", "azureConnectionString"] as const).filter(
    (name) => values[name] !== undefined
  )
  if (first === undefined) {
    const others = `or ${variable("azureSas")} or ${variable("azureConnectionString")}`
    return fault("azureAccountKey", `must be set, ${others}, since ${variable("blobs")} is azure`)
  }
  if (second !== undefined) return fault(second, `cannot be set together with ${variable(first)}`)
  if (azureConnectionString !== undefined) {
    return Result.succeed({ store: "azure", options: { container, prefix, connectionString: azureConnectionString } })
  }
  if (azureAccountName === undefined) return missing("azureAccountName", values)
  const account = { container, prefix, accountName: azureAccountName, endpoint: values.azureEndpoint }
  if (azureAccountKey !== undefined) {
    return Result.succeed({ store: "azure", options: { ...account, accountKey: azureAccountKey } })
  }
  return azureSas === undefined
    ? missing("azureSas", values)
    : Result.succeed({ store: "azure", options: { ...account, sas: azureSas } })
}

const gcs = (values: BlobStoreSettings.Values): Result.Result<BlobStoreConfig, ConfigFault> =>
  values.gcsBucket === undefined
    ? missing("gcsBucket", values)
    : Result.succeed({
        store: "gcs",
        options: {
          bucket: values.gcsBucket,
          endpoint: values.gcsEndpoint,
          projectId: values.gcsProjectId,
          prefix: values.gcsPrefix,
          credentials: values.gcsCredentials
        }
      })

/** Returns the blob store that the settings choose, or the fault that keeps them from working together. */
export const resolve = (values: BlobStoreSettings.Values): Result.Result<BlobStoreConfig, ConfigFault> => {
  const { blobs } = values
  for (const [store, name] of Object.entries(bucketSettings)) {
    if (store !== blobs && values[name] !== undefined) {
      return fault(name, `cannot be used, since ${variable("blobs")} is ${blobs}`)
    }
  }
  if (blobs === "s3") return s3(values)
  if (blobs === "azure") return azure(values)
  return blobs === "gcs" ? gcs(values) : Result.succeed({ store: "fs" })
}
