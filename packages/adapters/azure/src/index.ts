/**
 * The adapters for programs that do not use Effect: `open({ blobs: azure({ container, accountName, accountKey }), … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { AzureBlobLocation } from "@holdfast/core/mirrors/targets/types/AzureBlobTargetType"
import * as Redacted from "effect/Redacted"
import * as AzureBlobStore from "./AzureBlobStore.ts"
import * as AzureMirrorTarget from "./AzureMirrorTarget.ts"
import type * as AzureOptions from "./AzureOptions.ts"

/** The options with secrets as plain texts. They reach no log and no error. */
type Plain<Options> = Options extends unknown
  ? { readonly [Name in keyof Options]: Options[Name] extends Redacted.Redacted ? string : Options[Name] }
  : never

const redacted = (options: Plain<AzureOptions.Options>): AzureOptions.Options => {
  if ("accountKey" in options) return { ...options, accountKey: Redacted.make(options.accountKey) }
  if ("sas" in options) return { ...options, sas: Redacted.make(options.sas) }
  if ("token" in options) return options
  return { ...options, connectionString: Redacted.make(options.connectionString) }
}

/** Keeps contents in a container of Azure Blob Storage, which any number of processes may share. */
export const azure = (options: Plain<AzureOptions.Options>): BlobsAdapter => ({
  blobs: AzureBlobStore.layer(redacted(options))
})

/**
 * Lets buckets be mirrored to containers of Azure Blob Storage: those at addresses on the public Internet, unless
 * `allowPrivate` is set.
 */
export const azureMirrors = (
  options: Partial<AzureMirrorTarget.Options> = {}
): { readonly targets: { readonly AZURE_BLOB: Open<AzureBlobLocation> } } => ({
  targets: { AZURE_BLOB: AzureMirrorTarget.open({ allowPrivate: false, ...options }) }
})
