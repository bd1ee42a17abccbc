/**
 * Several sources as one.
 */
import * as Effect from "effect/Effect"
import type { ByteRange } from "../storage/BlobStore.ts"
import type { Source } from "./Source.ts"

/** Makes a source of bytes. */
export const ofBytes = (bytes: Uint8Array): Source<never> => ({
  size: bytes.length,
  readRange: ({ length, offset }) => Effect.sync(() => bytes.subarray(offset, offset + length))
})

/** A source, and the part of a range that is in it. */
interface Part<E> {
  readonly source: Source<E>
  readonly range: ByteRange
  /** Where the bytes belong in the range of all. */
  readonly at: number
}

/** Joins sources, one behind the other. */
export const join = <E>(sources: ReadonlyArray<Source<E>>): Source<E> => {
  const partsOf = ({ length, offset }: ByteRange): ReadonlyArray<Part<E>> => {
    const parts: Array<Part<E>> = []
    let start = 0
    for (const source of sources) {
      const [from, to] = [Math.max(offset, start), Math.min(offset + length, start + source.size)]
      if (from < to) parts.push({ source, range: { offset: from - start, length: to - from }, at: from - offset })
      start += source.size
    }
    return parts
  }
  return {
    size: sources.reduce((sum, { size }) => sum + size, 0),
    readRange: (range, into) =>
      Effect.suspend(() => {
        const parts = partsOf(range)
        const [first] = parts
        if (parts.length === 1 && first !== undefined) return first.source.readRange(first.range, into)
        const memory = into ?? new Uint8Array(range.length)
        const read = Effect.forEach(
          parts,
          ({ at, range: own, source }) => {
            const target = memory.subarray(at, at + own.length)
            return Effect.map(source.readRange(own, target), (bytes) => {
              // A source may return other memory than that it was given.
              if (bytes.buffer !== target.buffer || bytes.byteOffset !== target.byteOffset) target.set(bytes)
            })
          },
          { discard: true }
        )
        return Effect.as(read, memory)
      }),
    open: sources.every(({ open }) => open === undefined)
      ? undefined
      : Effect.map(
          Effect.forEach(sources, (source) => source.open ?? Effect.succeed(source)),
          join
        )
  }
}
