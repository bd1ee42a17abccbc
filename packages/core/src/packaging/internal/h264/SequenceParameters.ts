/**
 * The sequence parameter set of H.264 (ITU-T H.264, 7.3.2.1.1), as far as it says which players can show the video.
 */
import { malformed } from "../../PackagingError.ts"
import * as BitReader from "../BitReader.ts"

export interface SequenceParameters {
  readonly profile: number
  /** Ten times the level. */
  readonly level: number
  /** 1 for 4:2:0. */
  readonly chromaFormat: number
  /** Bits of luma and of chroma, at most. */
  readonly bitDepth: number
  /** Whether all pictures are frames: without it, they may be interlaced. */
  readonly isProgressive: boolean
  /** Pixels of the picture that is shown. */
  readonly width: number
  readonly height: number
  readonly hasSquarePixels: boolean
  /** The transfer characteristics (ITU-T H.273, 8.2); null if unknown. */
  readonly transfer: number | null
}

/** Profiles whose parameters have a chroma format (7.3.2.1.1). */
const highProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135])

/** Reference frames of a cycle of the picture order count, at most (7.4.2.1.1). */
const maxCycle = 255

/** Skips a scaling list (7.3.2.1.1.1). */
const skipScalingList = ({ signed }: BitReader.BitReader, size: number): void => {
  let [last, next] = [8, 8]
  for (let index = 0; index < size; index++) {
    if (next !== 0) next = (last + signed() + 256) % 256
    if (next !== 0) last = next
  }
}

/** Reads the chroma format and what else only the high profiles have. */
const readHigh = (reader: BitReader.BitReader): Pick<SequenceParameters, "bitDepth" | "chromaFormat"> => {
  const { bits, unsigned } = reader
  const chromaFormat = unsigned()
  if (chromaFormat === 3) bits(1)
  const bitDepth = 8 + Math.max(unsigned(), unsigned())
  bits(1)
  if (bits(1) === 1) {
    for (let list = 0; list < (chromaFormat === 3 ? 12 : 8); list++) {
      if (bits(1) === 1) skipScalingList(reader, list < 6 ? 16 : 64)
    }
  }
  return { chromaFormat, bitDepth }
}

const skipPictureOrder = ({ bits, signed, unsigned }: BitReader.BitReader): void => {
  const type = unsigned()
  if (type === 0) unsigned()
  if (type !== 1) return
  bits(1)
  signed()
  signed()
  const count = unsigned()
  if (count > maxCycle) throw malformed("A parameter of the video is too large.")
  for (let index = 0; index < count; index++) signed()
}

const extended = 255

/** Reads the usability information (E.1.1) up to the colours. */
const readUsability = ({ bits }: BitReader.BitReader): Pick<SequenceParameters, "hasSquarePixels" | "transfer"> => {
  let hasSquarePixels = true
  if (bits(1) === 1) {
    const ratio = bits(8)
    const [width, height] = ratio === extended ? [bits(16), bits(16)] : [ratio, 1]
    // 0 means that the ratio is not specified.
    hasSquarePixels = width === height || width === 0 || height === 0
  }
  if (bits(1) === 1) bits(1)
  if (bits(1) === 0) return { hasSquarePixels, transfer: null }
  bits(4)
  if (bits(1) === 0) return { hasSquarePixels, transfer: null }
  bits(8)
  return { hasSquarePixels, transfer: bits(8) }
}

/** Parses a NAL unit with sequence parameters. */
export const parse = (unit: Uint8Array): SequenceParameters => {
  const reader = BitReader.make(unit)
  const { bits, unsigned } = reader
  bits(8)
  const profile = bits(8)
  bits(8)
  const level = bits(8)
  unsigned()
  const { bitDepth, chromaFormat } = highProfiles.has(profile) ? readHigh(reader) : { bitDepth: 8, chromaFormat: 1 }
  unsigned()
  skipPictureOrder(reader)
  unsigned()
  bits(1)
  const [columns, rows] = [unsigned() + 1, unsigned() + 1]
  const isProgressive = bits(1) === 1
  if (!isProgressive) bits(1)
  bits(1)
  const [left, right, top, bottom] = bits(1) === 1 ? [unsigned(), unsigned(), unsigned(), unsigned()] : [0, 0, 0, 0]
  const usability = bits(1) === 1 ? readUsability(reader) : { hasSquarePixels: true, transfer: null }
  // Cropping counts samples of chroma, of which 4:2:0 has one for two pixels in both directions.
  return {
    profile,
    level,
    chromaFormat,
    bitDepth,
    isProgressive,
    width: 16 * columns - 2 * (left + right),
    height: 16 * rows * (isProgressive ? 1 : 2) - 2 * (top + bottom),
    ...usability
  }
}
