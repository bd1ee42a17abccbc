/**
 * The settings of the blob store.
 */
import * as Redacted from "effect/Redacted"
import * as SecretTypes from "./SecretTypes.ts"
import { optional, type ValuesOf, withDefault } from "./Setting.ts"
import * as SettingType from "./SettingType.ts"
import * as WebTypes from "./WebTypes.ts"

/** A name of a bucket, container, account or access key, in the characters that the cloud services allow. */
const name = SettingType.make("a name of letters, digits, dots, hyphens and underscores", (text) =>
  /^[\w.-]{1,255}$/.test(text) ? text : undefined
)

const prefix = SettingType.make("letters, digits and the characters . _ - and /", (text) =>
  /^[\w./-]{1,255}$/.test(text) ? text : undefined
)

const secret = (expected: string, shape: RegExp, label: string) =>
  SecretTypes.secret(
    SettingType.make(expected, (text) => (shape.test(text) ? Redacted.make(text, { label }) : undefined))
  )

const printable = /^[\x20-\x7e]+$/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/
/** Any JSON object; the SDK checks its members when it first uses them. */
const json = /^\{[^\0]*\}$/

const prefixDescription = "Prefix of every object name. It is used as it is: add a slash if you want one."

export const settings = {
  blobs: withDefault(
    ["HOLDFAST_BLOBS"],
    SettingType.oneOf("fs", "s3", "azure", "gcs"),
    "fs",
    "Store of file contents: fs is the data directory, s3 is Amazon S3 or a compatible service, azure is Azure Blob Storage, gcs is Google Cloud Storage."
  ),

  s3Bucket: optional(["HOLDFAST_S3_BUCKET"], name, "S3 bucket for file contents. It must exist."),
  s3Region: withDefault(["HOLDFAST_S3_REGION", "AWS_REGION"], name, "us-east-1", "Region of the S3 bucket."),
  s3Endpoint: optional(
    ["HOLDFAST_S3_ENDPOINT"],
    WebTypes.baseUrl,
    "URL of an S3-compatible service. If unset, Amazon S3 is used."
  ),
  s3ForcePathStyle: withDefault(
    ["HOLDFAST_S3_FORCE_PATH_STYLE"],
    SettingType.onOff,
    "off",
    "Whether request URLs carry the bucket in the path instead of the host name. Most S3-compatible services need it."
  ),
  s3AccessKeyId: optional(
    ["HOLDFAST_S3_ACCESS_KEY_ID"],
    name,
    "Access key that may read and write the S3 bucket. If unset, the AWS SDK finds credentials in the environment, the profile or the role of the machine."
  ),
  s3SecretAccessKey: optional(
    ["HOLDFAST_S3_SECRET_ACCESS_KEY"],
    secret("a secret access key", printable, "S3SecretAccessKey"),
    "Secret of the access key."
  ),
  s3Prefix: optional(["HOLDFAST_S3_PREFIX"], prefix, prefixDescription),

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
  azurePrefix: optional(["HOLDFAST_AZURE_PREFIX"], prefix, prefixDescription),

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
  gcsPrefix: optional(["HOLDFAST_GCS_PREFIX"], prefix, prefixDescription)
} as const

export type Values = ValuesOf<typeof settings>
