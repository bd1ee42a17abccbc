/**
 * Chooses the H.265 of a file that is packaged, and what a manifest states of its colours.
 */
import { concat } from "../../../storage/ByteChunks.ts"
import type { Hevc } from "../../Codec.ts"
import { malformed, unsupported } from "../../PackagingError.ts"
import type { SourceIndex, VideoTrack } from "../../SourceIndex.ts"
import { text, uint16, uint8 } from "../fragments/BoxWriter.ts"
import * as NalUnits from "../h265/NalUnits.ts"
import * as Record from "../h265/Record.ts"
import * as SequenceParameters from "../h265/SequenceParameters.ts"

export interface HevcTrack extends VideoTrack {
  readonly codec: Hevc
}

/** Main and Main 10. */
const profiles = new Set([1, 2])
/** Level 6.2. */
const maxLevel = 186
const bitDepths = new Set([8, 10])

/** Where a box `colr` of type `nclx` has its numbers. */
const colorsAt = 4

/** The colours of a box `colr` of type `nclx`. */
export const colorsOf = (color: Uint8Array): SequenceParameters.Colors => {
  const [primaries = 2, transfer = 2, matrix = 2] = [0, 2, 4].map(
    (at) => ((color[colorsAt + at] ?? 0) << 8) | (color[colorsAt + at + 1] ?? 0)
  )
  return { primaries, transfer, matrix, isFullRange: (color[colorsAt + 6] ?? 0) >= 0x80 }
}

const toColor = ({ isFullRange, matrix, primaries, transfer }: SequenceParameters.Colors): Uint8Array =>
  concat([text("nclx"), uint16(primaries, transfer, matrix), uint8(isFullRange ? 0x80 : 0)])

/** Returns the colours of the file and of its video: players read one or the other. Throws if they differ. */
const agreeOn = (color: Uint8Array | null, colors: SequenceParameters.Colors | null): Uint8Array | null => {
  if (color === null) return colors === null ? null : toColor(colors)
  if (colors === null) return color
  const stated = colorsOf(color)
  if (stated.transfer !== colors.transfer || stated.primaries !== colors.primaries) {
    throw unsupported("The file and its video state different colours.")
  }
  return color
}

/** Returns the video. Throws if players of H.265 cannot play it as it is. */
export const choose = ({ video }: Pick<SourceIndex, "video">): HevcTrack => {
  const [track, ...others] = video
  if (track === undefined || others.length > 0) throw unsupported("The file has not one track of video.")
  const { codec, color, isUpright, pixelRatio } = track
  if (codec._tag !== "Hevc") throw unsupported("The video is not H.265.")
  if (!codec.isWhole) throw unsupported("The video needs Dolby Vision.")
  const [parameters, ...further] = codec.sequenceParameters.map(SequenceParameters.parse)
  if (parameters === undefined || codec.videoParameters.length === 0 || codec.pictureParameters.length === 0) {
    throw unsupported("The parameters of the video are in its frames alone.")
  }
  const pictures = codec.pictureParameters.map(NalUnits.pictureParametersOf)
  if (further.length > 0 || pictures.some(({ sequenceId }) => sequenceId !== parameters.id)) {
    throw unsupported("The video changes its parameters.")
  }
  const { bitDepth, chromaFormat, colors, hasSquarePixels, height, isProgressive, level, profile, width } = parameters
  const { isHighTier, profileSpace } = parameters
  const [, stated = "", , tier = ""] = /^\w+\.([^.]*)\.([^.]*)\.([^.]*)/.exec(codec.name) ?? []
  if (stated !== String(profile) || tier !== `${isHighTier ? "H" : "L"}${level}`) {
    throw unsupported("The file and its video state different profiles.")
  }
  const isPlayable =
    profileSpace === 0 &&
    profiles.has(profile) &&
    level <= maxLevel &&
    chromaFormat === 1 &&
    bitDepths.has(bitDepth) &&
    isProgressive &&
    isUpright &&
    hasSquarePixels &&
    pixelRatio[0] === pixelRatio[1]
  if (!isPlayable) throw unsupported("Not all players of H.265 support the video.")
  if (width <= 0 || height <= 0) throw malformed("The video has no size.")
  return { ...track, codec: Record.toComplete(codec), width, height, color: agreeOn(color, colors) }
}
