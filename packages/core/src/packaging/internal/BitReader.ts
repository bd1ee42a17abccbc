/**
 * Reads the bits of a NAL unit of H.264 or H.265.
 */
import { malformed } from "../PackagingError.ts"

export interface BitReader {
  readonly bits: (count: number) => number
  /** Reads an unsigned Exp-Golomb code (ITU-T H.264, 9.1; H.265, 9.2). */
  readonly unsigned: () => number
  /** Reads a signed one. */
  readonly signed: () => number
}

/** Reads bits, without the bytes that prevent start codes (ITU-T H.264, 7.4.1; H.265, 7.4.2). */
export const make = (unit: Uint8Array): BitReader => {
  const bytes = unit.filter(
    (byte, index) => !(byte === 3 && index >= 2 && unit[index - 1] === 0 && unit[index - 2] === 0)
  )
  let at = 0
  const bits = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) {
      const byte = bytes[at >> 3]
      if (byte === undefined) throw malformed("The parameters of the video are cut off.")
      value = value * 2 + ((byte >> (7 - (at & 7))) & 1)
    }
    return value
  }
  const unsigned = (): number => {
    let zeros = 0
    while (bits(1) === 0) if (++zeros > 31) throw malformed("A parameter of the video is too large.")
    return 2 ** zeros - 1 + bits(zeros)
  }
  const signed = (): number => {
    const code = unsigned()
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2
  }
  return { bits, unsigned, signed }
}
