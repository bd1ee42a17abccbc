/**
 * How a container of Azure Blob Storage is reached and used.
 */
import type { AnonymousCredential, ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob"
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import type * as Redacted from "effect/Redacted"

/** Supplies tokens of Microsoft Entra ID, such as the credentials of `@azure/identity`. The caller closes it. */
export type TokenCredential = Exclude<ContainerClient["credential"], AnonymousCredential | StorageSharedKeyCredential>

/** The address of an account. */
interface AccountAddress {
  readonly accountName: string
  /** The URL of the account's blob service. Default: `https://<accountName>.blob.core.windows.net`. */
  readonly endpoint?: string | undefined
}

/** An account with its credentials. Secrets appear in no log and no error. */
export type Account =
  | (AccountAddress & { readonly accountKey: Redacted.Redacted })
  /** A shared access signature, as the query of a URL: for the account, or for the container. */
  | (AccountAddress & { readonly sas: Redacted.Redacted })
  | (AccountAddress & { readonly token: TokenCredential })
  /** Contains the account's address. */
  | { readonly connectionString: Redacted.Redacted }

/** How contents are divided into blocks, which are Azure's parts. */
export interface BlockOptions {
  /**
   * Bytes of one block. A smaller content is sent in one request, a larger one in up to 50,000 blocks. The largest
   * content therefore has 50,000 times as many bytes. Default: 8 MiB.
   */
  readonly blockBytes?: number | undefined
  /** How many blocks of one content are read or sent at a time. Each uses `blockBytes` bytes of memory. Default: 3. */
  readonly blockConcurrency?: number | undefined
}

interface Container {
  /** Must exist. Versioning is not needed: it keeps what was removed. */
  readonly container: string
  /** Prefix of every key, including a slash if it is to be a folder. Default: none. */
  readonly prefix?: string | undefined
}

/** Options of a store. */
export type Options = Account & Container & RequestOptions & BlockOptions

/** Options of all mirror targets of a deployment. The location of each target is part of its mirror. */
export interface MirrorOptions extends RequestOptions, BlockOptions {
  /**
   * Whether targets may have addresses that are not on the public Internet, such as those of the deployment's own
   * network.
   */
  readonly allowPrivate: boolean
}
