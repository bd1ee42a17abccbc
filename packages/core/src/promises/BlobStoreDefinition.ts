/**
 * What a blob store written with promises consists of: the argument of `defineBlobStore`.
 */
import type { ContentSource } from "./internal/content/ContentSource.ts"

/** An operation on one blob. */
export interface BlobOperation {
  /** `tenant/bucket/blob`: three identifiers of lower-case letters, digits, `_` and `-`. It is safe as a path and as the name of an object. */
  readonly key: string
  /** Fires when the result is no longer needed, for example because a client has disconnected. */
  readonly signal: AbortSignal
}

export interface PutBlob extends BlobOperation {
  /**
   * The bytes. It is read once, no faster than it is asked for. A chunk is valid until the next one is requested: copy one that is kept
   * for longer. It throws when the bytes do not arrive, and when `signal` fires.
   */
  readonly content: AsyncIterable<Uint8Array>
}

export interface ReadBlob extends BlobOperation {
  /** The only bytes to read: `length` bytes from `offset` on. All when undefined. */
  readonly range: { readonly offset: number; readonly length: number } | undefined
}

/** A blob that was opened for reading. */
export interface OpenedBlob {
  /** Bytes of the whole blob, also when a range of it is read. */
  readonly size: number
  /** The bytes that were asked for. It is cancelled when it is not read to its end, and `signal` fires then. */
  readonly content: ContentSource
}

/** One entry of a listing. */
export interface ListedBlob {
  readonly key: string
  /** Bytes. */
  readonly size: number
}

/**
 * A blob store. A rejection is an error of the store: throw `BlobError` to say which. Any other error with the `code` of a full disk
 * (`ENOSPC`, `EDQUOT`) is `StorageFull`, a `TypeError`, `ReferenceError` or `RangeError` is `Internal`, and all others are
 * `Unavailable`, so that clients try again.
 */
export interface BlobStoreDefinition {
  /** The name of the store, for logs and health reports. */
  readonly name: string
  /** Whether several processes may use the store at the same time. Default: false. */
  readonly shared?: boolean | undefined
  /**
   * Writes a blob; one that has the key is replaced as a whole. When it resolves, the bytes are durable. Until then nothing is visible
   * under the key, and nothing remains there when it rejects: write to a temporary name and rename, or use an operation of the backend
   * that is atomic. Memory must not grow with the content. No other `put` of the same key runs at the same time.
   */
  readonly put: (blob: PutBlob) => Promise<void>
  /**
   * Opens a blob; resolves with undefined when no blob has the key. A content that is shorter or longer than the range is an error of the
   * store, so that a blob that is removed meanwhile never looks shorter than it was.
   */
  readonly read: (blob: ReadBlob) => Promise<OpenedBlob | undefined>
  /** Returns the size of a blob; undefined when no blob has the key. */
  readonly stat: (blob: BlobOperation) => Promise<{ readonly size: number } | undefined>
  /** Removes a blob. Resolves also when no blob has the key. */
  readonly remove: (blob: BlobOperation) => Promise<void>
  /** Lists every blob whose key begins with the prefix, in any order. Entries with names that are no keys are ignored. */
  readonly list: (listing: {
    readonly prefix: string
    readonly signal: AbortSignal
  }) => AsyncIterable<ListedBlob> | Iterable<ListedBlob>
  /** Resolves when the store can accept a write now; for readiness probes. */
  readonly check?: ((probe: { readonly signal: AbortSignal }) => Promise<void>) | undefined
  /** Closes the store. Runs once, after all other operations. */
  readonly close?: (() => Promise<void>) | undefined
}
