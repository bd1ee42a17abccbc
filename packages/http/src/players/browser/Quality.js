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
