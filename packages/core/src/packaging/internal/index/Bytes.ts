/**
 * Writes and reads the numbers of an index.
 */
import { malformed } from "../../PackagingError.ts"

export type Column = Float64Array | Uint32Array | Int32Array | Uint8Array

/** Numbers of both signs as whole numbers, the small ones first. */
const fold = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
const unfold = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)

/** Writes a whole number. Returns where it ends. */
const writeWhole = (buffer: Uint8Array, from: number, value: number): number => {
  let [at, rest] = [from, value]
  for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) buffer[at++] = (rest % 128) + 128
  for (; rest >= 128; rest >>>= 7) buffer[at++] = (rest & 127) | 128
  buffer[at++] = rest
  return at
}

/** Writes runs of equal numbers. Returns where they end. */
const writeRuns = (buffer: Uint8Array, from: number, values: Float64Array, length: number): number => {
  let at = from
  let index = 0
  while (index < length) {
    const value = values[index] ?? 0
    const first = index++
    while (index < length && values[index] === value) index++
    const folded = fold(value)
    const run = index - first
    // Most numbers need one byte or two, as most runs do.
    if (folded < 128) buffer[at++] = folded
    else at = writeWhole(buffer, at, folded)
    if (run < 128) buffer[at++] = run
    else at = writeWhole(buffer, at, run)
  }
  return at
}

export interface ByteWriter {
  readonly length: () => number
  /** Writes an integer of 32 bits. */
  readonly uint32: (value: number) => void
  /** Writes a whole number of any size up to 2^53 in as few bytes as it needs: seven bits in each. */
  readonly whole: (value: number) => void
  /** Returns memory for a column of this many numbers. */
  readonly toColumn: (length: number) => Float64Array
  /** Writes the column, numbers of both signs, as runs of equal ones: each number, then how many there are of it. */
  readonly column: (length: number) => void
  /** Returns what was written so far. */
  readonly toBytes: () => Uint8Array
}

/** Bytes for which a number is always room. */
const largest = 16

/** Makes a writer. More than `capacity` bytes make it copy what was written. */
export const makeWriter = (capacity: number): ByteWriter => {
  let buffer = new Uint8Array(capacity)
  let values = new Float64Array(1024)
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
      for (let shift = 24; shift >= 0; shift -= 8) buffer[at++] = value >>> shift
    },
    whole: (value) => {
      reserve(largest)
      at = writeWhole(buffer, at, value)
    },
    toColumn: (length) => {
      if (length > values.length) values = new Float64Array(Math.max(length, 2 * values.length))
      return values
    },
    column: (length) => {
      // A value and its count, for each run.
      reserve(2 * largest * length)
      at = writeRuns(buffer, at, values, length)
    },
    toBytes: () => buffer.subarray(0, at)
  }
}

export interface ByteReader {
  readonly uint32: () => number
  readonly whole: () => number
  /** Reads as many numbers of both signs as the column has. */
  readonly column: (values: Column) => void
}

/** The functions throw if the bytes end too early. */
export const makeReader = (bytes: Uint8Array): ByteReader => {
  let at = 0
  const next = (): number => {
    const byte = bytes[at++]
    if (byte === undefined) throw malformed("An index is cut off.")
    return byte
  }
  const whole = (): number => {
    const first = next()
    if (first < 128) return first
    let [value, scale] = [first & 127, 128]
    for (;;) {
      const byte = next()
      value += (byte & 127) * scale
      if (byte < 128) return value
      scale *= 128
      if (!Number.isSafeInteger(scale)) throw malformed("A number of an index is too large.")
    }
  }
  return {
    uint32: () => ((next() << 24) | (next() << 16) | (next() << 8) | next()) >>> 0,
    whole,
    column: (values) => {
      const { length } = values
      for (let index = 0; index < length;) {
        const value = unfold(whole())
        const end = index + whole()
        if (end <= index || end > length) throw malformed("An index is damaged.")
        for (; index < end; index++) values[index] = value
      }
    }
  }
}
