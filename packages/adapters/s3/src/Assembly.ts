/**
 * Puts the chunks of one content together to parts, which are hashed as they grow.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Pieces from "@holdfast/core/storage/Pieces"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

export interface Part {
  /** From 1 on. */
  readonly number: number
  /** In the memory that was given for it; as long as a part, but for the last one. */
  readonly bytes: Uint8Array
  /** Base64, as the header Content-MD5 has it. */
  readonly md5: string
}

export { type Memory, memory } from "@holdfast/core/storage/Pieces"

export interface Assembly<E, R> {
  /**
   * The next part, undefined after the last one. A content without bytes has one part without any. Not to be run twice
   * at a time. The part is in the memory until that is given again.
   */
  readonly next: (memory: Pieces.Memory) => Effect.Effect<Part | undefined, E, R>
  /** Of all parts so far; to be asked for once, after the last one. */
  readonly receipt: () => BlobReceipt
}

/** Begins to read a content; the reading ends with the scope. */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  partBytes: number
): Effect.Effect<Assembly<E, R>, never, Scope.Scope | R> => {
  const sha256 = createHash("sha256")
  let md5 = createHash("md5")
  let size = 0
  const observe = (bytes: Uint8Array) => {
    sha256.update(bytes)
    md5.update(bytes)
    size += bytes.byteLength
  }
  const partOf = ({ bytes, index }: Pieces.Piece): Part => {
    const part = { number: index + 1, bytes, md5: md5.digest("base64") }
    md5 = createHash("md5")
    return part
  }
  return Effect.map(Pieces.make(content, partBytes, observe), (next) => ({
    next: (memory) => Effect.map(next(memory), (piece) => piece && partOf(piece)),
    receipt: () => ({ size, sha256: sha256.digest("hex") })
  }))
}
