/**
 * Reads the bits of a frame of AAC, or of a NAL unit of H.264 or H.265.
 */
import { malformed, type PackagingError } from "../PackagingError.ts"

export interface Bits {
  readonly bits: (count: number) => number
  readonly skipBytes: (count: number) => void
  /** Skips the rest of a byte that has been begun. */
  readonly align: () => void
}

export interface BitReader extends Pick<Bits, "bits"> {
  /** Reads an unsigned Exp-Golomb code (ITU-T H.264, 9.1; H.265, 9.2). */
  readonly unsigned: () => number
  /** Reads a signed one. */
  readonly signed: () => number
}

/** Reads the bits of bytes. Throws the error of `cutOff` past their end. */
export const ofBytes = (bytes: Uint8Array, cutOff: () => PackagingError): Bits => {
  let at = 0
  const bits = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) {
      const byte = bytes[at >> 3]
      if (byte === undefined) throw cutOff()
      value = value * 2 + ((byte >> (7 - (at & 7))) & 1)
    }
    return value
  }
  return {
    bits,
    skipBytes: (count) => void (at += 8 * count),
    align: () => void (at = (at + 7) & ~7)
  }
}

/** Reads the bits of a NAL unit, without the bytes that prevent start codes (ITU-T H.264, 7.4.1; H.265, 7.4.2). */
export const make = (unit: Uint8Array): BitReader => {
  const bytes = unit.filter(
    (byte, index) => !(byte === 3 && index >= 2 && unit[index - 1] === 0 && unit[index - 2] === 0)
  )
  const { bits } = ofBytes(bytes, () => malformed("The parameters of the video are cut off."))
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
