/**
 * Puts the chunks of one content together to parts, which are hashed as they grow.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Chunker from "@holdfast/core/storage/Chunker"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { createHash, type Hash } from "node:crypto"

export interface Part {
  /** From 1 on. */
  readonly number: number
  /** In the memory that was given for it; as long as a part, but for the last one. */
  readonly bytes: Uint8Array
  /** Base64, as the header Content-MD5 has it. */
  readonly md5: string | undefined
  /** Hexadecimal, as a signature has it. */
  readonly sha256: string | undefined
}

export { type Memory, memory } from "@holdfast/core/storage/Chunker"

export interface Assembly<E, R> {
  /**
   * The next part, undefined after the last one. A content without bytes has one part without any. Not to be run twice
   * at a time. The part is in the memory until that is given again.
   */
  readonly next: (memory: Chunker.Memory) => Effect.Effect<Part | undefined, E, R>
  /** Of all parts so far; to be asked for once, after the last one. */
  readonly receipt: () => BlobReceipt
}

/**
 * Begins to read a content; the reading ends with the scope. Each part gets the one checksum that its request needs
 * (`PayloadHash`); the first one has both, since it may be the whole object, for which Object Lock asks for an MD5.
 */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  partBytes: number,
  isEncrypted: boolean,
  expectedBytes?: number
): Effect.Effect<Assembly<E, R>, never, Scope.Scope | R> => {
  const whole = createHash("sha256")
  let md5: Hash | undefined = createHash("md5")
  // Of the first part it is that of the whole so far.
  let sha256: Hash | undefined
  let size = 0
  const observe = (bytes: Uint8Array) => {
    for (const hash of [whole, md5, sha256]) hash?.update(bytes)
    size += bytes.byteLength
  }
  const partOf = ({ bytes, index }: Chunker.Piece): Part => {
    const part = {
      number: index + 1,
      bytes,
      md5: md5?.digest("base64"),
      sha256: isEncrypted ? undefined : (sha256 ?? whole.copy()).digest("hex")
    }
    md5 = isEncrypted ? createHash("md5") : undefined
    sha256 = isEncrypted ? undefined : createHash("sha256")
    return part
  }
  return Effect.map(Chunker.make(content, partBytes, observe, expectedBytes), (next) => ({
    next: (memory) => Effect.map(next(memory), (piece) => piece && partOf(piece)),
    receipt: () => ({ size, sha256: whole.digest("hex") })
  }))
}
