/**
 * Streams that fail unless their bytes are those of a content's record.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DamageKind } from "../storage/DamageKind.ts"
import type { Sha256 } from "./ContentHasher.ts"

export interface Expectation<F> {
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly makeHash: () => Sha256
  readonly toError: (kind: Exclude<DamageKind, "Missing">) => F
}

/**
 * Returns a stream of the same chunks. It fails as soon as there are too many bytes, and at the end unless the bytes have the size
 * and SHA-256 of the record.
 */
export const verify =
  <F>({ makeHash, sha256, size, toError }: Expectation<F>) =>
  <E, R>(content: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | F, R> =>
    Stream.suspend(() => {
      const hash = makeHash()
      let count = 0
      const end = Stream.suspend(() => {
        if (count !== size) return Stream.fail(toError("WrongSize"))
        return hash.digest() === sha256 ? Stream.empty : Stream.fail(toError("Damaged"))
      })
      const take = (chunk: Uint8Array) => {
        count += chunk.byteLength
        if (count > size) return Effect.fail(toError("WrongSize"))
        hash.update(chunk)
        return Effect.succeed(chunk)
      }
      return content.pipe(Stream.mapEffect(take), Stream.concat(end))
    })
