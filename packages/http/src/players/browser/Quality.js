/**
 * The names of renditions.
 */

/**
 * Returns the lines of the shorter side, as in `720p`, by which the API names renditions, too; of sound, the rate.
 *
 * @param {number} width Pixels; 0 without a picture.
 * @param {number} height Likewise.
 * @param {number} bitrate Bits per second.
 */
export const label = (width, height, bitrate) =>
  height > 0 ? `${Math.min(width, height)}p` : `${Math.round(bitrate / 1000)} kbit/s`

/**
 * Returns the label of a variant of HLS. H.265 as it was uploaded may have the size of another variant, from which its label differs.
 *
 * @param {{ bitrate: number, height: number, videoCodec: string | undefined, videoRange: string, width: number }} level
 */
export const labelOf = ({ bitrate, height, videoCodec, videoRange, width }) => {
  const plain = label(width, height, bitrate)
  if (videoRange === "PQ" || videoRange === "HLG") return `${plain} HDR`
  return videoCodec?.startsWith("hvc1") === true ? `${plain} HEVC` : plain
}
