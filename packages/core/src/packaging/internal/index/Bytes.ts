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
  let at = from
  let rest = value
  for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) buffer[at++] = (rest % 128) + 128
  for (; rest >= 128; rest >>>= 7) buffer[at++] = (rest & 127) | 128
  buffer[at++] = rest
  return at
}

/** How a column is written: as runs, or with this many bytes for each number. */
const asRuns = 0
const maxWidth = 7
/** Bytes of most numbers. They are written faster. */
const smallWidth = 3

/** A run takes two bytes at least, and more time than a number of a fixed width. */
const numbersPerRun = 4

/** Writes runs of equal numbers. Returns where they end. */
const writeRuns = (buffer: Uint8Array, from: number, values: Float64Array, length: number): number => {
  let at = from
  let index = 0
  while (index < length) {
    const value = values[index] ?? 0
    const first = index++
    while (index < length && values[index] === value) index++
    at = writeWhole(buffer, writeWhole(buffer, at, fold(value)), index - first)
  }
  return at
}

/** Writes numbers with equally many bytes, the least significant first. Returns where they end. */
const writeFixed = (buffer: Uint8Array, from: number, values: Float64Array, length: number, width: number): number => {
  let at = from
  if (width <= smallWidth) {
    for (let index = 0; index < length; index++) {
      // `fold` for integers of 32 bits.
      const value = (values[index] ?? 0) | 0
      const folded = (value << 1) ^ (value >> 31)
      buffer[at++] = folded
      if (width > 1) buffer[at++] = folded >>> 8
      if (width > 2) buffer[at++] = folded >>> 16
    }
    return at
  }
  for (let index = 0; index < length; index++) {
    let rest = fold(values[index] ?? 0)
    for (let byte = 0; byte < width; byte++) {
      buffer[at++] = rest
      rest = rest < 2 ** 31 ? rest >>> 8 : Math.floor(rest / 256)
    }
  }
  return at
}

/** Returns how many bytes a whole number has. */
const widthOf = (value: number): number => {
  let width = 1
  for (let limit = 256; value >= limit; limit *= 256) width++
  return width
}

/** Writes a column in the form that fits. Returns where it ends. */
const writeColumn = (buffer: Uint8Array, from: number, values: Float64Array, length: number): number => {
  let [runs, least, most, previous] = [0, 0, 0, NaN]
  for (let index = 0; index < length; index++) {
    const value = values[index] ?? 0
    if (value !== previous) runs++
    if (value > most) most = value
    if (value < least) least = value
    previous = value
  }
  const width = widthOf(Math.max(fold(least), fold(most)))
  const isFixed = runs * numbersPerRun > length && width <= maxWidth
  buffer[from] = isFixed ? width : asRuns
  return isFixed ? writeFixed(buffer, from + 1, values, length, width) : writeRuns(buffer, from + 1, values, length)
}

/** Writes some of the whole numbers as a column of equally many bytes each. Returns where it ends. */
const writeWholes = (buffer: Uint8Array, from: number, values: Uint32Array, first: number, end: number): number => {
  let most = 0
  for (let index = first; index < end; index++) {
    const value = values[index] ?? 0
    if (value > most) most = value
  }
  const width = widthOf(fold(most))
  let at = from
  buffer[at++] = width
  for (let index = first; index < end; index++) {
    const value = values[index] ?? 0
    // `fold` in two parts, of which both are integers of 32 bits.
    buffer[at++] = value << 1
    if (width > 1) buffer[at++] = value >>> 7
    if (width > 2) buffer[at++] = value >>> 15
    if (width > 3) buffer[at++] = value >>> 23
    if (width > 4) buffer[at++] = value >>> 31
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
  /**
   * Writes the column, numbers of both signs: as runs of equal ones, each number and then how many there are of it, or all with equally
   * many bytes. The first byte says which.
   */
  readonly column: (length: number) => void
  /** Writes a column of some of the numbers, with equally many bytes. */
  readonly wholes: (values: Uint32Array, first: number, end: number) => void
  /** Writes a column of equal numbers. */
  readonly uniform: (value: number, length: number) => void
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
      reserve(2 * largest * length + 1)
      at = writeColumn(buffer, at, values, length)
    },
    wholes: (values, first, end) => {
      reserve(largest * (end - first) + 1)
      at = writeWholes(buffer, at, values, first, end)
    },
    uniform: (value, length) => {
      reserve(2 * largest + 1)
      buffer[at++] = asRuns
      if (length > 0) at = writeWhole(buffer, writeWhole(buffer, at, fold(value)), length)
    },
    toBytes: () => buffer.subarray(0, at)
  }
}

export interface ByteReader {
  readonly uint32: () => number
  readonly whole: () => number
  /** Reads as many numbers of both signs as the column has. `isMarked`: the first byte says how they are written. */
  readonly column: (values: Column, isMarked: boolean) => void
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
    let value = first & 127
    let scale = 128
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
    column: (values, isMarked) => {
      const { length } = values
      const width = isMarked ? next() : asRuns
      if (width > maxWidth || at + width * length > bytes.length) throw malformed("An index is damaged.")
      if (width !== asRuns) {
        for (let index = 0; index < length; index++) {
          let value = 0
          for (let byte = width - 1; byte >= 0; byte--) value = value * 256 + (bytes[at + byte] ?? 0)
          if (!Number.isSafeInteger(value)) throw malformed("A number of an index is too large.")
          values[index] = unfold(value)
          at += width
        }
        return
      }
      for (let index = 0; index < length;) {
        const value = unfold(whole())
        const end = index + whole()
        if (end <= index || end > length) throw malformed("An index is damaged.")
        for (; index < end; index++) values[index] = value
      }
    }
  }
}
