/**
 * How a container of Azure Blob Storage is reached and used.
 */
import type { AnonymousCredential, ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob"
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** What gives tokens of Microsoft Entra ID, such as the credentials of `@azure/identity`. It is the caller's to close. */
export type TokenCredential = Exclude<ContainerClient["credential"], AnonymousCredential | StorageSharedKeyCredential>

/** Where an account is. */
interface Place {
  readonly accountName: string
  /** The URL of the account's blob service; `https://<accountName>.blob.core.windows.net` when absent. */
  readonly endpoint?: string | undefined
}

/** An account with what opens it. Secrets reach no log and no error. */
export type Account =
  | (Place & { readonly accountKey: Redacted.Redacted })
  /** A shared access signature, as the query of a URL: for the account, or for the container. */
  | (Place & { readonly sas: Redacted.Redacted })
  | (Place & { readonly token: TokenCredential })
  /** With the place in it. */
  | { readonly connectionString: Redacted.Redacted }

/** How requests are made. */
export interface Requests {
  /**
   * How often the SDK makes one request that fails in passing. 3 when absent. Nobody further out can repeat the request
   * of a block, since a content's stream is read only once.
   */
  readonly maxAttempts?: number | undefined
  /**
   * Connections at the most; further requests wait. Every reader has one until its stream ends, so that this should be
   * more than there are readers. 500 when absent.
   */
  readonly maxConnections?: number | undefined
  /** How long a connection may take to open; 5 seconds when absent. */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * How long nothing may move over a connection in use before its request fails; a minute when absent. It also ends a
   * stream whose reader pauses that long.
   */
  readonly idleTimeout?: Duration.Input | undefined
}

/** How contents are cut. */
export interface Blocks {
  /**
   * Bytes of one block. A content below it goes in one request, a larger one in up to 50,000 blocks, so that this is also
   * the 50,000th part of the largest content. 8 MiB when absent.
   */
  readonly blockBytes?: number | undefined
  /**
   * Blocks of one content that are filled or sent at once, each with memory of `blockBytes`. 3 when absent.
   */
  readonly blockConcurrency?: number | undefined
}

interface Container {
  /** Must exist. Versioning is not needed: it keeps what was removed. */
  readonly container: string
  /** Stands before every key, with its slash if it is to have one. None when absent. */
  readonly prefix?: string | undefined
}

export type Options = Account & Container & Requests & Blocks
