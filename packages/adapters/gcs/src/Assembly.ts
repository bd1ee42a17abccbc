/**
 * Cuts the chunks of one content to pieces of one size, and hashes the content on the way.
 */
import * as Chunker from "@holdfast/core/storage/Chunker"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

export type { Piece } from "@holdfast/core/storage/Chunker"
export { type Memory, memory } from "@holdfast/core/storage/Chunker"

export interface Digests {
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  /** Base64. */
  readonly md5: string
}

export interface Assembly<E, R> {
  /** The next piece; not to be run after the last one, nor twice at a time. It is in the memory until that is given again. */
  readonly next: (memory: Chunker.Memory) => Effect.Effect<Chunker.Piece, E, R>
  /** Of the whole content; to be asked for once, after the last piece. */
  readonly digests: () => Digests
}

/** Begins to read a content; the reading ends with the scope. */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  pieceBytes: number,
  expectedBytes?: number
): Effect.Effect<Assembly<E, R>, never, Scope.Scope | R> => {
  const sha256 = createHash("sha256")
  const md5 = createHash("md5")
  let size = 0
  const observe = (bytes: Uint8Array) => {
    sha256.update(bytes)
    md5.update(bytes)
    size += bytes.byteLength
  }
  return Effect.map(Chunker.make(content, pieceBytes, observe, expectedBytes), (next) => ({
    next: (memory) =>
      Effect.flatMap(next(memory), (piece) =>
        piece === undefined ? Effect.die(new Error("a piece was asked for after the last one")) : Effect.succeed(piece)
      ),
    digests: () => ({ size, sha256: sha256.digest("hex"), md5: md5.digest("base64") })
  }))
}
