/**
 * The sequence parameter set of H.265 (ITU-T H.265, 7.3.2.2.1), as far as it says which players can show the video.
 */
import { malformed } from "../../PackagingError.ts"
import * as BitReader from "../BitReader.ts"

/** Numbers of ITU-T H.273 (8.1 to 8.3). */
export interface Colors {
  readonly primaries: number
  readonly transfer: number
  readonly matrix: number
  readonly isFullRange: boolean
}

export interface SequenceParameters {
  readonly id: number
  readonly profileSpace: number
  readonly profile: number
  readonly isHighTier: boolean
  /** Thirty times the level. */
  readonly level: number
  /** 1 for 4:2:0. */
  readonly chromaFormat: number
  /** Bits of luma and of chroma, at most. */
  readonly bitDepth: number
  readonly isProgressive: boolean
  /** Pixels of the picture that is shown. */
  readonly width: number
  readonly height: number
  readonly hasSquarePixels: boolean
  /** Null if unknown. */
  readonly colors: Colors | null
}

/** The greatest values that the standard permits: sets of reference pictures, pictures in one of them, and long-term pictures. */
const maxSets = 64
const maxPictures = 16
const maxLongTerm = 32

const atMost = (value: number, limit: number): number => {
  if (value > limit) throw malformed("A parameter of the video is too large.")
  return value
}

type Level = Pick<SequenceParameters, "isHighTier" | "isProgressive" | "level" | "profile" | "profileSpace">

/** Reads profile, tier and level (7.3.3). */
const readLevel = ({ bits }: BitReader.BitReader, subLayers: number): Level => {
  const profileSpace = bits(2)
  const isHighTier = bits(1) === 1
  const profile = bits(5)
  bits(32)
  const [progressive, interlaced] = [bits(1), bits(1)]
  bits(46)
  const level = bits(8)
  const present = Array.from({ length: subLayers }, () => [bits(1), bits(1)] as const)
  if (subLayers > 0) bits(2 * (8 - subLayers))
  for (const [hasProfile, hasLevel] of present) {
    if (hasProfile === 1) {
      bits(44)
      bits(44)
    }
    if (hasLevel === 1) bits(8)
  }
  return { profileSpace, isHighTier, profile, level, isProgressive: progressive === 1 || interlaced === 0 }
}

/** Skips the scaling lists (7.3.4). */
const skipScalingLists = ({ bits, signed, unsigned }: BitReader.BitReader): void => {
  for (let size = 0; size < 4; size++) {
    for (let matrix = 0; matrix < 6; matrix += size === 3 ? 3 : 1) {
      if (bits(1) === 0) {
        unsigned()
        continue
      }
      if (size > 1) signed()
      for (let index = 0; index < Math.min(64, 2 ** (4 + 2 * size)); index++) signed()
    }
  }
}

/** Skips the sets of short-term reference pictures (7.3.7). */
const skipReferenceSets = ({ bits, unsigned }: BitReader.BitReader): void => {
  const count = atMost(unsigned(), maxSets)
  let previous = 0
  for (let set = 0; set < count; set++) {
    let pictures = 0
    if (set > 0 && bits(1) === 1) {
      // The set follows from the one before it.
      bits(1)
      unsigned()
      for (let index = 0; index <= previous; index++) if (bits(1) === 1 || bits(1) === 1) pictures++
    } else {
      pictures = atMost(unsigned(), maxPictures) + atMost(unsigned(), maxPictures)
      for (let index = 0; index < pictures; index++) {
        unsigned()
        bits(1)
      }
    }
    previous = atMost(pictures, 2 * maxPictures)
  }
}

const extended = 255

type Usability = Pick<SequenceParameters, "colors" | "hasSquarePixels"> & { readonly hasFields: boolean }

const noUsability: Usability = { hasSquarePixels: true, colors: null, hasFields: false }

/** Reads the usability information (E.2.1) up to the fields. */
const readUsability = ({ bits, unsigned }: BitReader.BitReader): Usability => {
  let hasSquarePixels = true
  if (bits(1) === 1) {
    const ratio = bits(8)
    const [width, height] = ratio === extended ? [bits(16), bits(16)] : [ratio, 1]
    // 0 means that the ratio is not specified.
    hasSquarePixels = width === height || width === 0 || height === 0
  }
  if (bits(1) === 1) bits(1)
  let colors: Colors | null = null
  if (bits(1) === 1) {
    bits(3)
    const isFullRange = bits(1) === 1
    if (bits(1) === 1) colors = { primaries: bits(8), transfer: bits(8), matrix: bits(8), isFullRange }
  }
  if (bits(1) === 1) {
    unsigned()
    unsigned()
  }
  bits(1)
  return { hasSquarePixels, colors, hasFields: bits(1) === 1 }
}

/** Pixels for each sample of chroma, across and down, by the chroma format. */
const chromaPixels: ReadonlyArray<readonly [number, number]> = [
  [1, 1],
  [2, 2],
  [2, 1],
  [1, 1]
]

const unknownFormat = () => malformed("The video has an unknown format.")

/** Bytes of the header of a NAL unit (7.3.1.2). */
const headerBits = 16

/** Parses a NAL unit with sequence parameters. */
export const parse = (unit: Uint8Array): SequenceParameters => {
  const reader = BitReader.make(unit)
  const { bits, unsigned } = reader
  bits(headerBits)
  bits(4)
  const subLayers = atMost(bits(3), 6)
  bits(1)
  const level = readLevel(reader, subLayers)
  const id = atMost(unsigned(), 15)
  const chromaFormat = atMost(unsigned(), 3)
  if (chromaFormat === 3) bits(1)
  const [codedWidth, codedHeight] = [unsigned(), unsigned()]
  const [left, right, top, bottom] = bits(1) === 1 ? [unsigned(), unsigned(), unsigned(), unsigned()] : [0, 0, 0, 0]
  const bitDepth = 8 + Math.max(unsigned(), unsigned())
  const orderBits = 4 + atMost(unsigned(), 12)
  const firstLayer = bits(1) === 1 ? 0 : subLayers
  for (let count = 3 * (subLayers - firstLayer + 1); count > 0; count--) unsigned()
  for (let count = 6; count > 0; count--) unsigned()
  if (bits(1) === 1 && bits(1) === 1) skipScalingLists(reader)
  bits(2)
  if (bits(1) === 1) {
    bits(8)
    unsigned()
    unsigned()
    bits(1)
  }
  skipReferenceSets(reader)
  if (bits(1) === 1) {
    for (let count = atMost(unsigned(), maxLongTerm); count > 0; count--) bits(orderBits + 1)
  }
  bits(2)
  const { hasFields, ...usability } = bits(1) === 1 ? readUsability(reader) : noUsability
  const [across, down] = chromaPixels[chromaFormat] ?? []
  if (across === undefined || down === undefined) throw unknownFormat()
  return {
    ...level,
    ...usability,
    id,
    chromaFormat,
    bitDepth,
    isProgressive: level.isProgressive && !hasFields,
    width: codedWidth - across * (left + right),
    height: codedHeight - down * (top + bottom)
  }
}
