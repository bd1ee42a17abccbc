/**
 * The settings that say where contents are kept.
 */
import * as Redacted from "effect/Redacted"
import * as ConfigKind from "./ConfigKind.ts"
import * as ConfigSecret from "./ConfigSecret.ts"
import { given, optional, type ValuesOf } from "./ConfigSetting.ts"
import * as ConfigWeb from "./ConfigWeb.ts"

/** A name of a bucket, a container, an account or a key, as the services have them. */
const name = ConfigKind.make("a name of letters, digits, points, hyphens and underscores", (text) =>
  /^[\w.-]{1,255}$/.test(text) ? text : undefined
)

const prefix = ConfigKind.make("letters, digits and the characters . _ - and /", (text) =>
  /^[\w./-]{1,255}$/.test(text) ? text : undefined
)

const secret = (accepts: string, shape: RegExp, label: string) =>
  ConfigSecret.secret(
    ConfigKind.make(accepts, (text) => (shape.test(text) ? Redacted.make(text, { label }) : undefined))
  )

const printable = /^[\x20-\x7e]+$/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/
/** What is in it is for the SDK to judge, once it is used. */
const json = /^\{[^\0]*\}$/

const before = "Stands before the name of every object, with its slash if it is to have one."

export const settings = {
  blobs: given(
    ["HOLDFAST_BLOBS"],
    ConfigKind.oneOf("fs", "s3", "azure", "gcs"),
    "fs",
    "Where contents are kept: in the data directory, in S3 or what is compatible with it, in Azure Blob Storage, or in Google Cloud Storage."
  ),

  s3Bucket: optional(["HOLDFAST_S3_BUCKET"], name, "Bucket of S3 for contents; it must exist."),
  s3Region: given(["HOLDFAST_S3_REGION", "AWS_REGION"], name, "us-east-1", "Region of that bucket."),
  s3Endpoint: optional(
    ["HOLDFAST_S3_ENDPOINT"],
    ConfigWeb.address,
    "Address of a service compatible with S3; Amazon's own when absent."
  ),
  s3ForcePathStyle: given(
    ["HOLDFAST_S3_FORCE_PATH_STYLE"],
    ConfigKind.onOff,
    "off",
    "Whether the bucket stands in the path instead of the host name, as most compatible services want."
  ),
  s3AccessKeyId: optional(
    ["HOLDFAST_S3_ACCESS_KEY_ID"],
    name,
    "Key that may read and write that bucket; without one it is looked for where Amazon's SDK does: environment, profile, role of the machine."
  ),
  s3SecretAccessKey: optional(
    ["HOLDFAST_S3_SECRET_ACCESS_KEY"],
    secret("the secret of the access key", printable, "S3SecretAccessKey"),
    "Secret of that key."
  ),
  s3Prefix: optional(["HOLDFAST_S3_PREFIX"], prefix, before),

  azureContainer: optional(
    ["HOLDFAST_AZURE_CONTAINER"],
    name,
    "Container of Azure Blob Storage for contents; it must exist."
  ),
  azureAccountName: optional(["HOLDFAST_AZURE_ACCOUNT_NAME"], name, "Storage account of that container."),
  azureAccountKey: optional(
    ["HOLDFAST_AZURE_ACCOUNT_KEY"],
    secret("the key of the account, in base64", base64, "AzureAccountKey"),
    "Key of that account."
  ),
  azureSas: optional(
    ["HOLDFAST_AZURE_SAS"],
    secret("a shared access signature", printable, "AzureSas"),
    "Shared access signature of that account or container, instead of the key."
  ),
  azureConnectionString: optional(
    ["HOLDFAST_AZURE_CONNECTION_STRING"],
    secret("a connection string", printable, "AzureConnectionString"),
    "Connection string of that account, instead of its name and key."
  ),
  azureEndpoint: optional(
    ["HOLDFAST_AZURE_ENDPOINT"],
    ConfigWeb.address,
    "Address of that account's blob service, where it is not Azure's usual one."
  ),
  azurePrefix: optional(["HOLDFAST_AZURE_PREFIX"], prefix, before),

  gcsBucket: optional(["HOLDFAST_GCS_BUCKET"], name, "Bucket of Google Cloud Storage for contents; it must exist."),
  gcsCredentials: optional(
    ["HOLDFAST_GCS_CREDENTIALS"],
    secret("a service account's JSON document", json, "GcsCredentials"),
    "Service account that may read and write that bucket, as its JSON document; without one it is looked for where Google's libraries do."
  ),
  gcsEndpoint: optional(
    ["HOLDFAST_GCS_ENDPOINT"],
    ConfigWeb.address,
    "Address of a service compatible with Google Cloud Storage; Google's own when absent."
  ),
  gcsProjectId: optional(
    ["HOLDFAST_GCS_PROJECT_ID"],
    name,
    "Project that pays for requests, where the bucket leaves that to who asks."
  ),
  gcsPrefix: optional(["HOLDFAST_GCS_PREFIX"], prefix, before)
} as const

export type Values = ValuesOf<typeof settings>
