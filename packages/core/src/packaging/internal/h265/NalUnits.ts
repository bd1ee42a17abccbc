/**
 * The NAL units of H.265 (ITU-T H.265, 7.3.1.2 and table 7-1).
 */
import * as BitReader from "../BitReader.ts"

export const types = {
  /** Leading pictures that need pictures before the one that they belong to. */
  firstSkipped: 8,
  lastSkipped: 9,
  /** Pictures at which a decoder may begin (IRAP). */
  firstEntry: 16,
  lastEntry: 21,
  /** The greatest type of a slice. */
  lastSlice: 31,
  videoParameters: 32,
  sequenceParameters: 33,
  pictureParameters: 34
} as const

export const typeOf = (unit: Uint8Array): number => ((unit[0] ?? 0) >> 1) & 0x3f

/** Whether a decoder may begin at a slice of this type. */
export const isEntry = (type: number): boolean => type >= types.firstEntry && type <= types.lastEntry

/** Returns the layer: 0, but for the second picture of spatial video and the like. */
export const layerOf = (unit: Uint8Array): number => (((unit[0] ?? 0) & 1) << 5) | ((unit[1] ?? 0) >> 3)

/** Bytes of the header, and those of a slice that are read: its first fields have some bits. */
export const headerBytes = 2
const sliceBytes = 16

export interface PictureParameters {
  readonly id: number
  /** The sequence parameters that it belongs to. */
  readonly sequenceId: number
}

/** Reads the ids of picture parameters (7.3.2.3.1). */
export const pictureParametersOf = (unit: Uint8Array): PictureParameters => {
  const { unsigned } = BitReader.make(unit.subarray(headerBytes, headerBytes + sliceBytes))
  return { id: unsigned(), sequenceId: unsigned() }
}

export interface SliceHead {
  readonly isFirst: boolean
  /** The picture parameters that it belongs to. */
  readonly pictureParameters: number
}

/** Reads the beginning of a slice (7.3.6.1). */
export const sliceOf = (unit: Uint8Array): SliceHead => {
  const { bits, unsigned } = BitReader.make(unit.subarray(headerBytes, headerBytes + sliceBytes))
  const isFirst = bits(1) === 1
  const type = typeOf(unit)
  // Pictures of the types 16 to 23 say whether earlier pictures are shown.
  if (type >= types.firstEntry && type <= 23) bits(1)
  return { isFirst, pictureParameters: unsigned() }
}
