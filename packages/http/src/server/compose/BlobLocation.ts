/**
 * Where contents are kept, as the settings say it together.
 */
import type * as AzureOptions from "@holdfast/azure/AzureOptions"
import type * as S3Options from "@holdfast/s3/S3Options"
import type * as GcsOptions from "@holdfast/gcs/GcsOptions"
import * as Result from "effect/Result"
import * as ConfigBlobs from "../config/ConfigBlobs.ts"
import type { Fault } from "../config/ConfigError.ts"

export type BlobPlace =
  | { readonly store: "fs" }
  | { readonly store: "s3"; readonly options: S3Options.Options }
  | { readonly store: "azure"; readonly options: AzureOptions.Options }
  | { readonly store: "gcs"; readonly options: GcsOptions.Options }

type Name = keyof ConfigBlobs.Values

const variable = (name: Name): string => ConfigBlobs.settings[name].variables[0]

const fault = (name: Name, what: string): Result.Result<never, Fault> => Result.fail({ where: variable(name), what })

/** Each store's own place; one that is named while another one is chosen was meant to be used. */
const places = { s3: "s3Bucket", azure: "azureContainer", gcs: "gcsBucket" } as const

const missing = (name: Name, { blobs }: ConfigBlobs.Values) =>
  fault(name, `must be set, since ${variable("blobs")} is ${blobs}`)

const s3 = (values: ConfigBlobs.Values): Result.Result<BlobPlace, Fault> => {
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

const azure = (values: ConfigBlobs.Values): Result.Result<BlobPlace, Fault> => {
  const { azureAccountKey, azureAccountName, azureConnectionString, azureContainer: container, azureSas } = values
  if (container === undefined) return missing("azureContainer", values)
  const prefix = values.azurePrefix
  const given = (["azureAccountKey", "azureSas", "azureConnectionString"] as const).filter(
    (name) => values[name] !== undefined
  )
  const [first, second] = given
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

const gcs = (values: ConfigBlobs.Values): Result.Result<BlobPlace, Fault> =>
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

/** The place that the settings name, or what is wrong with them together. */
export const of = (values: ConfigBlobs.Values): Result.Result<BlobPlace, Fault> => {
  const { blobs } = values
  for (const [store, name] of Object.entries(places)) {
    if (store !== blobs && values[name] !== undefined) {
      return fault(name, `cannot be used, since ${variable("blobs")} is ${blobs}`)
    }
  }
  if (blobs === "s3") return s3(values)
  if (blobs === "azure") return azure(values)
  return blobs === "gcs" ? gcs(values) : Result.succeed({ store: "fs" })
}
