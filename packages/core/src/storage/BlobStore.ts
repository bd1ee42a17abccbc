/**
 * The port that stores bytes. A blob is written once, as a whole, and never changes.
 *
 * The caller guarantees that every key is a `BlobKey` and that it never puts the same key twice at the same time. An adapter
 * guarantees what the methods document, also when the process or the machine crashes at any point.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { BlobError } from "./BlobError.ts"

/** A stored blob. */
export interface BlobInfo {
  /** Bytes. */
  readonly size: number
}

/** The blob that `put` wrote. */
export interface BlobReceipt extends BlobInfo {
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
}

/** One entry of a listing. */
export interface BlobEntry extends BlobInfo {
  readonly key: string
}

/** `length` bytes from `offset` on. The caller keeps the range within the blob. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/** How a blob is read. */
export interface ReadOptions {
  /** The range to read; the whole blob when absent. */
  readonly range?: ByteRange | undefined
  /** Bytes of the whole blob, from its record. The stream fails with `Damaged` before the first chunk when the blob has another size. */
  readonly size?: number | undefined
  /**
   * Whether the reader is done with a chunk when it pulls the next one; false when absent. A store may then reuse one
   * memory for all chunks, which costs far less than new memory for each. A store without reuse ignores this option.
   */
  readonly isTransient?: boolean | undefined
  /**
   * Memory of exactly the bytes that are read. A store may read them into it, and then it is the only chunk. A store that cannot ignores
   * this option.
   */
  readonly into?: Uint8Array | undefined
}

/** A blob of which several ranges are read. It can be read as long as it is open, also when it is removed meanwhile. */
export interface OpenedBlob {
  /** Reads as many bytes as the memory has, from `offset` on. The caller keeps the range within the blob. */
  readonly readInto: (offset: number, memory: Uint8Array) => Effect.Effect<void, BlobError>
}

/** What a store can do beyond the guarantees of the port. */
export interface Capabilities {
  /** The adapter's name, for logs and health reports. */
  readonly name: string
  /** Whether blobs are regular files on this machine, so that `localFile` returns their paths. */
  readonly localFiles: boolean
  /** Whether several processes may use the store at the same time. */
  readonly shared: boolean
}

export class BlobStore extends Context.Service<
  BlobStore,
  {
    /**
     * Writes a blob from a stream.
     *
     * - On success the bytes are durable: they survive a crash of the machine.
     * - Before that, nothing is visible under the key. A failure, an interruption or a crash leaves nothing there.
     * - Memory use does not grow with the blob. The store pulls the stream no faster than it writes.
     * - The stream's own error passes through unchanged.
     * - An existing blob with this key is replaced as a whole.
     * - The store does not change the chunks, except that it may detach those that the caller marked as transferable
     *   (`TransferableChunks`).
     */
    readonly put: <E, R>(
      key: string,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<BlobReceipt, BlobError | E, R>

    /**
     * Makes a blob of the bytes of another one at a lower price than `put` of what `read` returns, with the guarantees of `put`. The
     * digest of the receipt is that of the stored bytes, which the store reads. Fails with reason `NotFound` when no blob has the key
     * `from`. Absent from stores without such an operation.
     */
    readonly copy?: (from: string, to: string) => Effect.Effect<BlobReceipt, BlobError>

    /**
     * Reads a blob, or a range of it. For a missing key the stream fails with reason `NotFound` before the first chunk.
     * When the blob is removed while it is read, the stream still delivers all bytes or fails; it never ends early.
     */
    readonly read: (key: string, options?: ReadOptions) => Stream.Stream<Uint8Array, BlobError>

    /**
     * Opens a blob of `size` bytes, several ranges of which are read, until the scope closes. Costs less than one `read` for each range.
     * Fails as `read` does. Absent from stores in which it costs no less.
     */
    readonly open?: (key: string, size: number) => Effect.Effect<OpenedBlob, BlobError, Scope.Scope>

    /** Returns the size of a blob. Fails with reason `NotFound` when no blob has the key. */
    readonly stat: (key: string) => Effect.Effect<BlobInfo, BlobError>

    /** Removes a blob. Idempotent: succeeds also when no blob has the key. */
    readonly remove: (key: string) => Effect.Effect<void, BlobError>

    /**
     * Removes several blobs at a lower price than one by one. Returns the keys that no blob has any more; the removal of the
     * others failed. Absent from stores without such an operation.
     */
    readonly removeMany?: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>

    /** Lists every blob whose key begins with the prefix, in no particular order. Blobs that are still being put are not
     * listed. */
    readonly list: (prefix: string) => Stream.Stream<BlobEntry, BlobError>

    /**
     * Returns the path of a regular file that holds exactly the blob's bytes; undefined when the store has no such files.
     * The file may be removed before the caller opens it. With the path, the HTTP server sends the file without handling
     * each chunk.
     */
    readonly localFile: (key: string) => string | undefined

    /** Succeeds when the store can accept a write now; for readiness probes. */
    readonly check: Effect.Effect<void, BlobError>

    readonly capabilities: Capabilities
  }
>()("@holdfast/core/storage/BlobStore") {}
