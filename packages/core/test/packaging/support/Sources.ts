/**
 * Sources of the packager in memory.
 */
import * as Effect from "effect/Effect"
import type { Source } from "../../../src/packaging/Source.ts"

export interface CountingSource extends Source<never> {
  readonly reads: () => number
  readonly bytesRead: () => number
  readonly longestRead: () => number
}

/** Makes a source of bytes. Reading outside of them is a defect. `canFill`: whether it reads into memory that is given. */
export const make = (bytes: Uint8Array, canFill = false): CountingSource => {
  let [reads, bytesRead, longest] = [0, 0, 0]
  return {
    size: bytes.length,
    readRange: ({ length, offset }, into) =>
      Effect.sync(() => {
        if (offset < 0 || length < 0 || offset + length > bytes.length || !Number.isInteger(offset + length)) {
          throw new Error(`read outside: ${offset}+${length} of ${bytes.length}`)
        }
        reads++
        bytesRead += length
        longest = Math.max(longest, length)
        if (!canFill || into === undefined) return bytes.slice(offset, offset + length)
        into.set(bytes.subarray(offset, offset + length))
        return into
      }),
    reads: () => reads,
    bytesRead: () => bytesRead,
    longestRead: () => longest
  }
}
