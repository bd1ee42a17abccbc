/**
 * The CRC of a content, from those of its parts and their sizes: the CRC of the first part is multiplied by x to the power of the bits
 * that follow, modulo the polynomial, and so on. The parts themselves are not read.
 *
 * Source: `crc32_combine` of zlib.
 */
import type { Checksum, ChecksumAlgorithm } from "./Payload.ts"

/** The algorithms whose checksums can be combined. */
export type CrcAlgorithm = Exclude<ChecksumAlgorithm, "SHA1" | "SHA256">

/** A polynomial of up to 64 coefficients. That of x⁰ is the most significant bit, as in reflected CRCs. */
interface Polynomial {
  readonly low: number
  readonly high: number
}

interface Field extends Polynomial {
  readonly bits: 32 | 64
}

const fields: Readonly<Record<CrcAlgorithm, Field>> = {
  CRC32: { bits: 32, low: 0xedb88320, high: 0 },
  CRC32C: { bits: 32, low: 0x82f63b78, high: 0 },
  CRC64NVME: { bits: 64, low: 0xac4bc9b5, high: 0x9a6c9329 }
}

/** Whether checksums of an algorithm can be combined. */
export const isCrc = (algorithm: ChecksumAlgorithm): algorithm is CrcAlgorithm => Object.hasOwn(fields, algorithm)

const multiply = (field: Field, one: Polynomial, other: Polynomial): Polynomial => {
  let [low, high] = [0, 0]
  let { high: otherHigh, low: otherLow } = other
  for (let bit = field.bits - 1; bit >= 0; bit--) {
    if (((bit >= 32 ? one.high >>> (bit - 32) : one.low >>> bit) & 1) === 1) {
      low ^= otherLow
      high ^= otherHigh
    }
    const overflows = (otherLow & 1) === 1
    otherLow = (otherLow >>> 1) | (otherHigh << 31)
    otherHigh >>>= 1
    if (overflows) {
      otherLow ^= field.low
      otherHigh ^= field.high
    }
  }
  return { low, high }
}

/** Returns x to this power, which is below the width of the field. */
const power = ({ bits }: Field, exponent: number): Polynomial => {
  const bit = bits - 1 - exponent
  return bit >= 32 ? { low: 0, high: 1 << (bit - 32) } : { low: 1 << bit, high: 0 }
}

/** Makes the function that returns x to the power of the bits of so many bytes. Parts mostly have the same size. */
const makeShift = (field: Field) => {
  // x⁸, and each the square of the one before.
  const squares = [power(field, 8)]
  const known = new Map<number, Polynomial>()
  return (bytes: number): Polynomial => {
    const found = known.get(bytes)
    if (found !== undefined) return found
    let product = power(field, 0)
    for (let [rest, at] = [bytes, 0]; rest > 0; rest = Math.floor(rest / 2), at++) {
      const square = (squares[at] ??= multiply(field, squares[at - 1]!, squares[at - 1]!))
      if (rest % 2 === 1) product = multiply(field, square, product)
    }
    known.set(bytes, product)
    return product
  }
}

const read = ({ bits }: Field, base64: string): Polynomial => {
  const bytes = Buffer.from(base64, "base64")
  return bits === 64
    ? { high: bytes.readInt32BE(0), low: bytes.readInt32BE(4) }
    : { high: 0, low: bytes.readInt32BE(0) }
}

const write = ({ bits }: Field, { high, low }: Polynomial): string => {
  const bytes = Buffer.alloc(8)
  bytes.writeInt32BE(high | 0, 0)
  bytes.writeInt32BE(low | 0, 4)
  return bytes.subarray(8 - bits / 8).toString("base64")
}

/** Computes the checksum of a content from those of its parts. */
export interface CombinedCrc {
  /** Adds the next part, with its checksum in base64. Takes some 40 µs at most. */
  readonly add: (part: { readonly value: string; readonly size: number }) => void
  readonly checksum: () => Checksum
}

export const make = (algorithm: CrcAlgorithm): CombinedCrc => {
  const field = fields[algorithm]
  const shift = makeShift(field)
  let total: Polynomial = { low: 0, high: 0 }
  return {
    add: ({ size, value }) => {
      const { high, low } = multiply(field, shift(size), total)
      const next = read(field, value)
      total = { low: low ^ next.low, high: high ^ next.high }
    },
    checksum: () => ({ algorithm, value: write(field, total) })
  }
}
