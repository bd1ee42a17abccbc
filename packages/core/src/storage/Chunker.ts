/**
 * Cuts a content that arrives in chunks of any size into parts of one size, for stores that take a content part by
 * part.
 */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** A part of a content. */
export interface Part<Digests> {
  /** From 0. */
  readonly index: number
  /** Position of the first byte in the content. */
  readonly offset: number
  /** A view of the buffer that the part was read into. All parts but the last have `partBytes` bytes. */
  readonly bytes: Uint8Array
  /** Whether the content ends with this part. Only the part of an empty content has no bytes. */
  readonly isLast: boolean
  readonly digests: Digests
}

/**
 * Holds one part at a time. Its memory grows to the expected size of the content, or with the bytes that arrive, up to
 * `partBytes`.
 */
export interface PartBuffer {
  memory: Uint8Array
}

/** Makes a buffer without memory. */
export const makeBuffer = (): PartBuffer => ({ memory: new Uint8Array(0) })

/** Hashes a content while it is cut. The caller supplies it: core has no hash functions of its own. */
export interface PartHasher<Digests> {
  /** Takes the next bytes of the content. It is called with each byte once, in order. */
  readonly update: (bytes: Uint8Array) => void
  /** Returns the digests of the bytes since its last call: one part. */
  readonly endPart: () => Digests
}

export interface Options<Digests> {
  /** Bytes of every part but the last. */
  readonly partBytes: number
  readonly hasher: PartHasher<Digests>
  /** How many bytes the content is expected to have. Buffers are allocated for them at once. Unknown when absent. */
  readonly expectedBytes?: number | undefined
}

/** Reads a content part by part. */
export interface Chunker<Digests, E, R> {
  /**
   * Reads the next part into a buffer; undefined after the last part. An empty content has one part without bytes. Only
   * one call may run at a time. The part is valid until its buffer is used again.
   */
  readonly next: (buffer: PartBuffer) => Effect.Effect<Part<Digests> | undefined, E, R>
  /** Returns the number of bytes in all parts so far. */
  readonly size: () => number
}

const initialBytes = 64 * 1024

/**
 * Makes room for `needed` bytes, for `likely` bytes if those are more, and for at most `limit`. Keeps the first `used`
 * bytes.
 */
const reserve = (buffer: PartBuffer, used: number, needed: number, likely: number, limit: number): void => {
  if (buffer.memory.byteLength >= needed) return
  const grown = likely >= needed ? likely : Math.max(initialBytes, buffer.memory.byteLength * 2, needed)
  const larger = new Uint8Array(Math.min(grown, limit))
  larger.set(buffer.memory.subarray(0, used))
  buffer.memory = larger
}

/** Begins to read a content. The reading ends with the scope. */
export const make = <Digests, E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  { expectedBytes = 0, hasher, partBytes }: Options<Digests>
): Effect.Effect<Chunker<Digests, E, R>, never, Scope.Scope | R> =>
  Effect.map(Stream.toPull(content), (pull) => {
    let index = 0
    let offset = 0
    let hasEnded = false
    let isLast = false
    /** The chunks that were pulled last, how many of them are copied, and how many bytes of the next one are. */
    let chunks: ReadonlyArray<Uint8Array> = []
    let done = 0
    let start = 0

    const pullMore = pull.pipe(
      Effect.map((pulled) => {
        chunks = pulled
        done = 0
        start = 0
      }),
      Pull.catchDone(() => Effect.sync(() => void (hasEnded = true)))
    )

    /** The likely size of this part. A content that is longer than expected is likely to fill further parts. */
    const likelyBytes = (): number => (offset < expectedBytes ? expectedBytes - offset : index > 0 ? partBytes : 0)

    /** Returns whether pulled bytes are not copied yet. Skips empty chunks. */
    const hasPending = (): boolean => {
      while (done < chunks.length && chunks[done]?.byteLength === start) {
        done++
        start = 0
      }
      return done < chunks.length
    }

    /** Copies pending bytes while the part has room. Returns how many bytes of the part are used then. */
    const copy = (buffer: PartBuffer, from: number): number => {
      let used = from
      while (used < partBytes && hasPending()) {
        const fitting = (chunks[done] ?? new Uint8Array(0)).subarray(start, start + partBytes - used)
        reserve(buffer, used, used + fitting.byteLength, likelyBytes(), partBytes)
        buffer.memory.set(fitting, used)
        used += fitting.byteLength
        start += fitting.byteLength
      }
      if (used > from) hasher.update(buffer.memory.subarray(from, used))
      return used
    }

    const next = Effect.fnUntraced(function* (buffer: PartBuffer) {
      if (isLast) return undefined
      let used = 0
      while (true) {
        used = copy(buffer, used)
        // Also for a full part: only the next pull shows whether it is the last one.
        if (hasPending() || hasEnded) break
        yield* pullMore
      }
      isLast = hasEnded && !hasPending()
      const part = { index: index++, offset, bytes: buffer.memory.subarray(0, used), isLast, digests: hasher.endPart() }
      offset += used
      return part
    })
    return { next, size: () => offset }
  })
