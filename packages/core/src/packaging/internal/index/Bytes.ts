/**
 * Writes and reads the numbers of an index.
 */
import { malformed } from "../../PackagingError.ts"

export interface ByteWriter {
  readonly length: () => number
  /** Writes an integer of 32 bits. */
  readonly uint32: (value: number) => void
  /** Writes a whole number of any size up to 2^53 in as few bytes as it needs: seven bits in each. */
  readonly whole: (value: number) => void
  /** Returns what was written so far. */
  readonly toBytes: () => Uint8Array
}

/** Bytes for which a number is always room. */
const largest = 16

export const makeWriter = (): ByteWriter => {
  let buffer = new Uint8Array(64 * 1024)
  let at = 0
  const reserve = (count: number): void => {
    if (at + count <= buffer.length) return
    const larger = new Uint8Array(Math.max(2 * buffer.length, at + count))
    larger.set(buffer)
    buffer = larger
  }
  return {
    length: () => at,
    uint32: (value) => {
      reserve(largest)
      new DataView(buffer.buffer).setUint32(at, value)
      at += 4
    },
    whole: (value) => {
      reserve(largest)
      let rest = value
      for (; rest >= 128; rest = Math.floor(rest / 128)) buffer[at++] = (rest % 128) + 128
      buffer[at++] = rest
    },
    toBytes: () => buffer.subarray(0, at)
  }
}

export interface ByteReader {
  readonly uint32: () => number
  readonly whole: () => number
}

/** The functions throw if the bytes end too early. */
export const makeReader = (bytes: Uint8Array): ByteReader => {
  let at = 0
  const next = (): number => {
    const byte = bytes[at++]
    if (byte === undefined) throw malformed("An index is cut off.")
    return byte
  }
  return {
    uint32: () => ((next() << 24) | (next() << 16) | (next() << 8) | next()) >>> 0,
    whole: () => {
      let [value, scale] = [0, 1]
      for (;;) {
        const byte = next()
        value += (byte & 127) * scale
        if (byte < 128) return value
        scale *= 128
        if (!Number.isSafeInteger(scale)) throw malformed("A number of an index is too large.")
      }
    }
  }
}
