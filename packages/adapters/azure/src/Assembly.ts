/**
 * Cuts one content into blocks, which are hashed as they grow.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Chunker from "@holdfast/core/storage/Chunker"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

export interface Block {
  /** From 0 on. */
  readonly index: number
  /** In the memory that was given for it; as long as a block may be, but for the last one. */
  readonly bytes: Buffer
  readonly md5: Uint8Array
}

export { type Memory, memory } from "@holdfast/core/storage/Chunker"

export interface Assembly<E, R> {
  /**
   * The next block, undefined after the last one. A content without bytes has one block without any. Not to be run twice
   * at a time. The block is in the memory until that is given again.
   */
  readonly next: (memory: Chunker.Memory) => Effect.Effect<Block | undefined, E, R>
  /** Of all blocks so far; to be asked for once, after the last one. */
  readonly receipt: () => BlobReceipt
}

/** Begins to read a content; the reading ends with the scope. */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  blockBytes: number,
  expectedBytes?: number
): Effect.Effect<Assembly<E, R>, never, Scope.Scope | R> => {
  const sha256 = createHash("sha256")
  let md5 = createHash("md5")
  let size = 0
  const observe = (bytes: Uint8Array) => {
    sha256.update(bytes)
    md5.update(bytes)
    size += bytes.byteLength
  }
  const blockOf = ({ bytes, index }: Chunker.Piece): Block => {
    // The SDK would send the whole of the memory that a plain array is a part of.
    const block = {
      index,
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      md5: md5.digest()
    }
    md5 = createHash("md5")
    return block
  }
  return Effect.map(Chunker.make(content, blockBytes, observe, expectedBytes), (next) => ({
    next: (memory) => Effect.map(next(memory), (piece) => piece && blockOf(piece)),
    receipt: () => ({ size, sha256: sha256.digest("hex") })
  }))
}
