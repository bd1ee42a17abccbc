/**
 * The adapters for the Promise API: `open({ blobs: azure({ container, accountName, accountKey }), … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import * as Is from "@holdfast/core/inputs/OptionChecks"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { AzureBlobLocation } from "@holdfast/core/mirrors/targets/types/AzureBlobTargetType"
import * as AdapterOptions from "@holdfast/core/promises/AdapterOptions"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as RequestOptions from "@holdfast/outbound/RequestOptions"
import * as Redacted from "effect/Redacted"
import * as AzureBlobStore from "./AzureBlobStore.ts"
import * as AzureMirrorTarget from "./AzureMirrorTarget.ts"
import type * as AzureOptions from "./AzureOptions.ts"
import * as Account from "./internal/client/Account.ts"

/** The options with secrets as plain text. The secrets appear in no log and no error. */
type PlainOptions<Options> = Options extends unknown
  ? { readonly [Name in keyof Options]: Options[Name] extends Redacted.Redacted ? string : Options[Name] }
  : never

type Plain = PlainOptions<AzureOptions.Options>

const redact = (options: Plain): AzureOptions.Options => {
  if ("accountKey" in options) return { ...options, accountKey: Redacted.make(options.accountKey) }
  if ("sas" in options) return { ...options, sas: Redacted.make(options.sas) }
  if ("token" in options) return options
  return { ...options, connectionString: Redacted.make(options.connectionString) }
}

const blockChecks: AdapterOptions.Checks<AzureOptions.BlockOptions> = {
  blockBytes: Is.count(1),
  blockConcurrency: Is.count(1)
}

const secrets = ["accountKey", "sas", "token", "connectionString"] as const

type NamesOf<Options> = Options extends unknown ? keyof Options : never

const checkFields = Is.record(
  {
    ...RequestOptions.checks,
    ...blockChecks,
    container: Is.when(Account.isContainerName, "must be the name of a container: 3 to 63 of a to z, 0 to 9 and -"),
    prefix: Is.oneOf([""], Is.text),
    accountName: Is.when(Account.isAccountName, "must be the name of a storage account: 3 to 24 of a to z and 0 to 9"),
    endpoint: Endpoint.check,
    accountKey: Is.text,
    sas: Is.text,
    connectionString: Is.when(
      (value) => typeof value === "string" && /^[^=;]+=[^;]/.test(value),
      "must be a connection string, such as DefaultEndpointsProtocol=https;AccountName=NAME;AccountKey=KEY"
    ),
    token: Is.when(
      (value) => Is.isRecord(value) && typeof value["getToken"] === "function",
      "must be a credential with getToken, such as those of @azure/identity"
    )
  } satisfies { readonly [Name in NamesOf<AzureOptions.Options>]: Is.Check },
  { container: "the name of a container that exists" }
)

/** The options have exactly one secret, and the name of the account unless the secret has it. */
const checkStore: Is.Check = (options, pointer) => {
  const faults = checkFields(options, pointer)
  if (!Is.isRecord(options)) return faults
  const given = secrets.filter((name) => options[name] !== undefined)
  const [first, second] = given
  if (first === undefined) {
    return [
      ...faults,
      { pointer: `${pointer}/accountKey`, detail: `is required, or one of ${secrets.slice(1).join(", ")}` }
    ]
  }
  if (second !== undefined) {
    return [...faults, { pointer: `${pointer}/${second}`, detail: `must be absent where ${first} is set` }]
  }
  return first === "connectionString" || options["accountName"] !== undefined
    ? faults
    : [...faults, { pointer: `${pointer}/accountName`, detail: "is required: the name of the storage account" }]
}

const checkMirrors = Is.record({
  ...RequestOptions.checks,
  ...blockChecks,
  allowPrivate: Is.boolean
} satisfies AdapterOptions.Checks<AzureOptions.MirrorOptions>)

/**
 * Stores contents in a container of Azure Blob Storage. Any number of processes may share the container. Throws `InvalidRequest` for
 * options that are not valid.
 */
export const azure = (options: Plain): BlobsAdapter => {
  const given = AdapterOptions.read("azure", options, checkStore)
  return { blobs: AzureBlobStore.layer(redact(given)) }
}

/**
 * Permits mirrors to containers of Azure Blob Storage. Their addresses must be on the public Internet unless
 * `allowPrivate` is set. Throws `InvalidRequest` for options that are not valid.
 */
export const azureMirrors = (
  options: Partial<AzureOptions.MirrorOptions> = {}
): { readonly targets: { readonly AZURE_BLOB: Open<AzureBlobLocation> } } => {
  const given = AdapterOptions.read("azureMirrors", options, checkMirrors)
  return { targets: { AZURE_BLOB: AzureMirrorTarget.open({ allowPrivate: false, ...given }) } }
}
