/**
 * Puts the chunks of one content together to parts, which are hashed as they grow.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

export interface Part {
  /** From 1 on. */
  readonly number: number
  /** In the memory that was given for it; as long as a part, but for the last one. */
  readonly bytes: Uint8Array
  /** Base64, as the header Content-MD5 has it. */
  readonly md5: string
}

/** Where one part at a time is put together; it grows with the first part, up to a part's size. */
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
   * The next part, undefined after the last one. A content without bytes has one part without any. Not to be run twice
   * at a time. The part is in the memory until that is given again.
   */
  readonly next: (memory: Memory) => Effect.Effect<Part | undefined, E, R>
  /** Of all parts so far; to be asked for once, after the last one. */
  readonly receipt: () => BlobReceipt
}

/** Begins to read a content; the reading ends with the scope. */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  partBytes: number
): Effect.Effect<Assembly<E, R>, never, Scope.Scope | R> =>
  Effect.map(Stream.toPull(content), (pull) => {
    const sha256 = createHash("sha256")
    let size = 0
    let parts = 0
    let ended = false
    let chunks: ReadonlyArray<Uint8Array> = []
    let index = 0
    let offset = 0

    const more = pull.pipe(
      Effect.map((pulled) => {
        chunks = pulled
        index = 0
        offset = 0
      }),
      Pull.catchDone(() => Effect.sync(() => void (ended = true)))
    )

    /** Copies what is there, as far as the part has room; how much of the part is used then. */
    const copy = (memory: Memory, from: number): number => {
      let used = from
      while (index < chunks.length && used < partBytes) {
        const rest = chunks[index]!.subarray(offset, offset + partBytes - used)
        reserve(memory, used, used + rest.byteLength, partBytes)
        memory.buffer.set(rest, used)
        used += rest.byteLength
        offset += rest.byteLength
        if (offset < chunks[index]!.byteLength) break
        index++
        offset = 0
      }
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
        if (used === partBytes || ended) break
        yield* more
      }
      if (used === 0 && parts > 0) return undefined
      size += used
      return { number: ++parts, bytes: memory.buffer.subarray(0, used), md5: md5.digest("base64") }
    })

    return { next, receipt: () => ({ size, sha256: sha256.digest("hex") }) }
  })
