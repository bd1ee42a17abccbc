/**
 * Cuts the chunks of one content to pieces of one size, and hashes the content on the way.
 */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

export interface Piece {
  /** Of its first byte in the content. */
  readonly offset: number
  /** In the memory that was given for it; as many as a piece has, but for the last one. */
  readonly bytes: Uint8Array
  /** Whether the content ends with it. Only a content without bytes has a last piece without any. */
  readonly isLast: boolean
}

export interface Digests {
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  /** Base64. */
  readonly md5: string
}

/** Where one piece at a time is put together; it grows with the first one, up to a piece's size. */
export interface Memory {
  buffer: Buffer
}

const initialBytes = 64 * 1024

export const memory = (): Memory => ({ buffer: Buffer.alloc(0) })

/** Makes room for `needed` bytes, at most `limit`, and keeps the first `used`. */
const reserve = (memory: Memory, used: number, needed: number, limit: number): void => {
  if (memory.buffer.byteLength >= needed) return
  const doubled = Math.max(initialBytes, memory.buffer.byteLength * 2, needed)
  const larger = Buffer.allocUnsafeSlow(Math.min(doubled, limit))
  memory.buffer.copy(larger, 0, 0, used)
  memory.buffer = larger
}

export interface Assembly<E, R> {
  /** The next piece; not to be run after the last one, nor twice at a time. It is in the memory until that is given again. */
  readonly next: (memory: Memory) => Effect.Effect<Piece, E, R>
  /** Of the whole content; to be asked for once, after the last piece. */
  readonly digests: () => Digests
}

/** Begins to read a content; the reading ends with the scope. */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  pieceBytes: number
): Effect.Effect<Assembly<E, R>, never, Scope.Scope | R> =>
  Effect.map(Stream.toPull(content), (pull) => {
    const sha256 = createHash("sha256")
    const md5 = createHash("md5")
    let size = 0
    let hasEnded = false
    /** What was pulled and is in no piece yet. */
    let waiting: Array<Uint8Array> = []

    const more = pull.pipe(
      Effect.map((pulled) => void (waiting = pulled.filter(({ byteLength }) => byteLength > 0))),
      Pull.catchDone(() => Effect.sync(() => void (hasEnded = true)))
    )

    /** Copies what is there, as far as the piece has room; how much of the piece is used then. */
    const copy = (memory: Memory, from: number): number => {
      let used = from
      let index = 0
      for (; index < waiting.length && used < pieceBytes; index++) {
        const chunk = waiting[index]
        if (chunk === undefined) break
        const fitting = chunk.subarray(0, pieceBytes - used)
        reserve(memory, used, used + fitting.byteLength, pieceBytes)
        memory.buffer.set(fitting, used)
        used += fitting.byteLength
        if (fitting.byteLength < chunk.byteLength) {
          waiting[index] = chunk.subarray(fitting.byteLength)
          break
        }
      }
      waiting = waiting.slice(index)
      const bytes = memory.buffer.subarray(from, used)
      sha256.update(bytes)
      md5.update(bytes)
      return used
    }

    const next = Effect.fnUntraced(function* (memory: Memory) {
      let used = 0
      while (true) {
        used = copy(memory, used)
        // Also a full piece looks further, to know whether it is the last one.
        if (waiting.length > 0 || hasEnded) break
        yield* more
      }
      const offset = size
      size += used
      return { offset, bytes: memory.buffer.subarray(0, used), isLast: hasEnded }
    })

    return { next, digests: () => ({ size, sha256: sha256.digest("hex"), md5: md5.digest("base64") }) }
  })
