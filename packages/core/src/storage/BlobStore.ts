/**
 * The port that keeps bytes. A blob is written once, whole, and never changes.
 *
 * The caller guarantees that a key is a `BlobKey` and that no key is ever put twice at the same time. An adapter
 * guarantees what the methods say, also when the process or the machine dies at any point.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { BlobError } from "./BlobError.ts"

/** What stands in the store under one key. */
export interface BlobInfo {
  /** Bytes. */
  readonly size: number
}

/** What `put` wrote. */
export interface BlobReceipt extends BlobInfo {
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
}

/** One entry of a listing. */
export interface BlobEntry extends BlobInfo {
  readonly key: string
}

/** `length` bytes from `offset` on; the caller keeps it within the blob. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/** How a blob is read. */
export interface ReadOptions {
  /**
   * Whether a chunk is needed no longer once the next one is pulled. A store may then use its memory again, which costs far
   * less than fresh memory for each; one that does not may pass over this.
   */
  readonly isTransient?: boolean
}

/** What a store can do beyond the port's promises. */
export interface Capabilities {
  /** The adapter's name, for logs and health reports. */
  readonly name: string
  /** Whether blobs are regular files of this machine, so that `localFile` answers. */
  readonly localFiles: boolean
  /** Whether several processes may use the store at once. */
  readonly shared: boolean
}

export class BlobStore extends Context.Service<
  BlobStore,
  {
    /**
     * Writes a blob from a stream.
     *
     * - When it succeeds the bytes are durable: they outlive a crash of the machine.
     * - Until then nothing is visible under the key; a failure, an interruption or a crash leaves nothing there.
     * - Memory does not grow with the blob. The stream is pulled no faster than the bytes are written.
     * - The stream's own error passes through unchanged.
     * - An existing blob of this key is replaced as a whole.
     * - The chunks stay the caller's and are not changed, but for those that it gave away (`GivenChunks`).
     */
    readonly put: <E, R>(
      key: string,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<BlobReceipt, BlobError | E, R>

    /**
     * Reads a blob, or a range of it. A missing key is `BlobError` with reason `NotFound`, told before the first
     * chunk. A blob that is removed while it is read is still read to its end, or the stream fails; it never ends short.
     */
    readonly read: (key: string, range?: ByteRange, options?: ReadOptions) => Stream.Stream<Uint8Array, BlobError>

    /** What stands under a key; `NotFound` when nothing does. */
    readonly stat: (key: string) => Effect.Effect<BlobInfo, BlobError>

    /** Removes a blob. Idempotent: a missing key is a success. */
    readonly remove: (key: string) => Effect.Effect<void, BlobError>

    /** Every blob whose key begins with the prefix, in no promised order. Blobs that are being put are not listed. */
    readonly list: (prefix: string) => Stream.Stream<BlobEntry, BlobError>

    /**
     * The path of a regular file that holds exactly the blob's bytes, where the store has such files; the file may be
     * gone by the time it is opened. Undefined otherwise. The HTTP data plane sends such a file without touching each chunk.
     */
    readonly localFile: (key: string) => string | undefined

    /** Succeeds when the store can take a write now; for readiness probes. */
    readonly check: Effect.Effect<void, BlobError>

    readonly capabilities: Capabilities
  }
>()("@holdfast/core/storage/BlobStore") {}
