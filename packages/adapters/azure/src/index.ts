/**
 * The adapters for the Promise API: `open({ blobs: azure({ container, accountName, accountKey }), … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { AzureBlobLocation } from "@holdfast/core/mirrors/targets/types/AzureBlobTargetType"
import * as Redacted from "effect/Redacted"
import * as AzureBlobStore from "./AzureBlobStore.ts"
import * as AzureMirrorTarget from "./AzureMirrorTarget.ts"
import type * as AzureOptions from "./AzureOptions.ts"

/** The options with secrets as plain text. The secrets appear in no log and no error. */
type PlainOptions<Options> = Options extends unknown
  ? { readonly [Name in keyof Options]: Options[Name] extends Redacted.Redacted ? string : Options[Name] }
  : never

const redact = (options: PlainOptions<AzureOptions.Options>): AzureOptions.Options => {
  if ("accountKey" in options) return { ...options, accountKey: Redacted.make(options.accountKey) }
  if ("sas" in options) return { ...options, sas: Redacted.make(options.sas) }
  if ("token" in options) return options
  return { ...options, connectionString: Redacted.make(options.connectionString) }
}

/** Stores contents in a container of Azure Blob Storage. Any number of processes may share the container. */
export const azure = (options: PlainOptions<AzureOptions.Options>): BlobsAdapter => ({
  blobs: AzureBlobStore.layer(redact(options))
})

/**
 * Permits mirrors to containers of Azure Blob Storage. Their addresses must be on the public Internet unless
 * `allowPrivate` is set.
 */
export const azureMirrors = (
  options: Partial<AzureOptions.MirrorOptions> = {}
): { readonly targets: { readonly AZURE_BLOB: Open<AzureBlobLocation> } } => ({
  targets: { AZURE_BLOB: AzureMirrorTarget.open({ allowPrivate: false, ...options }) }
})
