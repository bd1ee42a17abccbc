/**
 * Cuts one content into blocks, which are hashed as they grow.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

export interface Block {
  /** From 0 on. */
  readonly index: number
  /** In the memory that was given for it; as long as a block may be, but for the last one. */
  readonly bytes: Uint8Array
  readonly md5: Uint8Array
}

/** Where one block at a time is put together; it grows with the first block, up to a block's size. */
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
  /**
   * The next block, undefined after the last one. A content without bytes has one block without any. Not to be run twice
   * at a time. The block is in the memory until that is given again.
   */
  readonly next: (memory: Memory) => Effect.Effect<Block | undefined, E, R>
  /** Of all blocks so far; to be asked for once, after the last one. */
  readonly receipt: () => BlobReceipt
}

/** Begins to read a content; the reading ends with the scope. */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  blockBytes: number
): Effect.Effect<Assembly<E, R>, never, Scope.Scope | R> =>
  Effect.map(Stream.toPull(content), (pull) => {
    const sha256 = createHash("sha256")
    let size = 0
    let blocks = 0
    let isEnded = false
    /** What was pulled and has no place in a block yet. */
    let rest: ReadonlyArray<Uint8Array> = []

    const more = pull.pipe(
      Effect.map((pulled) => {
        rest = pulled
      }),
      Pull.catchDone(() => Effect.sync(() => void (isEnded = true)))
    )

    /** Copies what is there, as far as the block has room; how much of the block is used then. */
    const copy = (memory: Memory, from: number): number => {
      let used = from
      let taken = 0
      for (const chunk of rest) {
        const fits = chunk.subarray(0, blockBytes - used)
        reserve(memory, used, used + fits.byteLength, blockBytes)
        memory.buffer.set(fits, used)
        used += fits.byteLength
        if (fits.byteLength < chunk.byteLength) {
          rest = [chunk.subarray(fits.byteLength), ...rest.slice(taken + 1)]
          return used
        }
        taken++
      }
      rest = []
      return used
    }

    const next = Effect.fnUntraced(function* (memory: Memory) {
      const md5 = createHash("md5")
      let used = 0
      while (true) {
        const copied = copy(memory, used)
        const bytes = memory.buffer.subarray(used, copied)
        sha256.update(bytes)
        md5.update(bytes)
        used = copied
        if (used === blockBytes || isEnded) break
        yield* more
      }
      if (used === 0 && blocks > 0) return undefined
      size += used
      return { index: blocks++, bytes: memory.buffer.subarray(0, used), md5: md5.digest() }
    })

    return { next, receipt: () => ({ size, sha256: sha256.digest("hex") }) }
  })
