/**
 * Cuts the chunks of one content to pieces of one size, for stores that take a content piece by piece.
 */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

export interface Piece {
  /** From 0 on. */
  readonly index: number
  /** Of its first byte in the content. */
  readonly offset: number
  /** In the memory that was given for it; as many as a piece has, but for the last one. */
  readonly bytes: Uint8Array
  /** Whether the content ends with it. Only a content without bytes has a piece without any. */
  readonly isLast: boolean
}

/** Where one piece at a time is put together; it grows to what is expected of the content, or with its bytes. */
export interface Memory {
  buffer: Uint8Array
}

const initialBytes = 64 * 1024

export const memory = (): Memory => ({ buffer: new Uint8Array(0) })

/** Makes room for `needed` bytes, better for `likely` ones, at most `limit`, and keeps the first `used`. */
const reserve = (memory: Memory, used: number, needed: number, likely: number, limit: number): void => {
  if (memory.buffer.byteLength >= needed) return
  const grown = likely >= needed ? likely : Math.max(initialBytes, memory.buffer.byteLength * 2, needed)
  const larger = new Uint8Array(Math.min(grown, limit))
  larger.set(memory.buffer.subarray(0, used))
  memory.buffer = larger
}

/** The next piece, undefined after the last one. Not to be run twice at a time. It is in the memory until that is given again. */
export type Next<E, R> = (memory: Memory) => Effect.Effect<Piece | undefined, E, R>

/**
 * Begins to read a content; the reading ends with the scope. `observe` is given all bytes in order, each once, as they are
 * put in their place. `expectedBytes`: how many the content is likely to have, for the memory that it takes.
 */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  pieceBytes: number,
  observe: (bytes: Uint8Array) => void,
  expectedBytes = 0
): Effect.Effect<Next<E, R>, never, Scope.Scope | R> =>
  Effect.map(Stream.toPull(content), (pull) => {
    let index = 0
    let offset = 0
    let hasEnded = false
    let isLast = false
    /** What was pulled, the number of those that are in pieces already, and how much of the next one is. */
    let chunks: ReadonlyArray<Uint8Array> = []
    let done = 0
    let start = 0

    const more = pull.pipe(
      Effect.map((pulled) => {
        chunks = pulled
        done = 0
        start = 0
      }),
      Pull.catchDone(() => Effect.sync(() => void (hasEnded = true)))
    )

    /** How many bytes the piece will have: a content that is longer than expected has some more of them. */
    const likely = (): number => (offset < expectedBytes ? expectedBytes - offset : index > 0 ? pieceBytes : 0)

    /** Whether bytes wait for a piece. Chunks without any are passed over. */
    const isWaiting = (): boolean => {
      while (done < chunks.length && chunks[done]?.byteLength === start) {
        done++
        start = 0
      }
      return done < chunks.length
    }

    /** Copies what is there, as far as the piece has room; how much of the piece is used then. */
    const copy = (memory: Memory, from: number): number => {
      let used = from
      while (used < pieceBytes && isWaiting()) {
        const fitting = (chunks[done] ?? new Uint8Array(0)).subarray(start, start + pieceBytes - used)
        reserve(memory, used, used + fitting.byteLength, likely(), pieceBytes)
        memory.buffer.set(fitting, used)
        used += fitting.byteLength
        start += fitting.byteLength
      }
      if (used > from) observe(memory.buffer.subarray(from, used))
      return used
    }

    return Effect.fnUntraced(function* (memory: Memory) {
      if (isLast) return undefined
      let used = 0
      while (true) {
        used = copy(memory, used)
        // Also a full piece looks further, to know whether it is the last one.
        if (isWaiting() || hasEnded) break
        yield* more
      }
      isLast = hasEnded && !isWaiting()
      const piece = { index: index++, offset, bytes: memory.buffer.subarray(0, used), isLast }
      offset += used
      return piece
    })
  })
