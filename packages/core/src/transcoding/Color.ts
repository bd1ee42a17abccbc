/**
 * What the samples of a picture mean as colours (ITU-T H.273). Names are FFmpeg's: `bt709`, `smpte2084`.
 */

export interface Color {
  /** How luma and chroma are made from red, green and blue; `gbr` when they are stored themselves. */
  readonly matrix: string | null
  /** How light becomes a number. */
  readonly transfer: string | null
  /** Which red, green and blue. */
  readonly primaries: string | null
  /** Whether the samples use all values, as those of a JPEG do. */
  readonly fullRange: boolean
}

/** PQ and HLG (ITU-R BT.2100). */
const highDynamicRange = new Set(["smpte2084", "arib-std-b67"])

/** Whether the picture has a high dynamic range, which H.264 of 8 bits cannot show. */
export const isHdr = ({ transfer }: Color): boolean => transfer !== null && highDynamicRange.has(transfer)

/** Lines of the largest picture whose colours are those of standard definition if it does not say. */
const maxStandardLines = 576

/** ITU-R BT.2020. */
const wide = { matrix: "bt2020nc", transfer: "bt2020-10", primaries: "bt2020" }
const standard = { matrix: "smpte170m", transfer: "smpte170m", primaries: "smpte170m" }
const high = { matrix: "bt709", transfer: "bt709", primaries: "bt709" }

/** Whether the colours go beyond those of BT.709, which all players show. */
export const isWide = (color: Color): boolean =>
  isHdr(color) || color.primaries === "bt2020" || color.matrix?.startsWith("bt2020") === true

/** A color of which everything is known. */
export interface KnownColor extends Color {
  readonly matrix: string
  readonly transfer: string
  readonly primaries: string
}

/** Replaces what is not known by what players assume for a picture of this size in pixels. */
export const assume = (color: Color, { height, width }: { readonly width: number; readonly height: number }) => {
  const isStandard = Math.min(width, height) <= maxStandardLines
  const assumed = isWide(color) ? wide : isStandard ? standard : high
  const { fullRange, matrix, primaries, transfer } = color
  return {
    matrix: matrix ?? assumed.matrix,
    transfer: transfer ?? assumed.transfer,
    primaries: primaries ?? assumed.primaries,
    fullRange
  } satisfies KnownColor
}
