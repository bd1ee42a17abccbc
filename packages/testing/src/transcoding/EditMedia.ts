/**
 * Edits media files, for samples that ffmpeg cannot make itself.
 */

const [one, minusOne] = [0x10000, 0xffff0000]

/** The upper left of the matrix for each rotation. */
const rotations = {
  90: [0, one, minusOne, 0],
  180: [minusOne, 0, 0, minusOne],
  270: [0, minusOne, one, 0]
} as const

/** Writes the upper left of the matrix of the first track of an MP4 (ISO/IEC 14496-12, 8.3.2). */
const writeMatrix = (media: Buffer, [a, b, c, d]: readonly [number, number, number, number]): Buffer => {
  const edited = Buffer.from(media)
  const matrix = edited.indexOf("tkhd") + 4 + 40
  for (const [index, value] of [a, b, 0, c, d, 0, 0, 0, 0x40000000].entries()) {
    edited.writeUInt32BE(value, matrix + 4 * index)
  }
  return edited
}

/** Rotates the first track of an MP4 clockwise. */
export const rotateTrack = (media: Buffer, degrees: keyof typeof rotations = 90): Buffer =>
  writeMatrix(media, rotations[degrees])

/** Mirrors the first track of an MP4: top and bottom change places, or left and right. */
export const mirrorTrack = (media: Buffer, isVertical: boolean): Buffer =>
  writeMatrix(media, isVertical ? [one, 0, 0, minusOne] : [minusOne, 0, 0, one])

/** Makes the header of an AVI declare a picture of 30000 by 30000 pixels, as a decompression bomb does. */
export const declareHugePicture = (media: Buffer): Buffer => {
  const edited = Buffer.from(media)
  const format = edited.indexOf("strf") + 8
  edited.writeUInt32LE(30_000, format + 4)
  edited.writeUInt32LE(30_000, format + 8)
  return edited
}

/** Cuts a file off after the first half of its bytes. */
export const cutInHalf = (media: Buffer): Buffer => media.subarray(0, Math.floor(media.length / 2))

/** Makes the headers of an MP4 declare a duration of 143,165 s, as those of fragmented ones by some encoders do. */
export const declareLongDuration = (media: Buffer): Buffer => {
  const edited = Buffer.from(media)
  for (const type of ["mvhd", "mdhd"]) {
    for (let at = edited.indexOf(type); at !== -1; at = edited.indexOf(type, at + 4)) {
      // Type, version and flags, two times; then the time scale and the duration (ISO/IEC 14496-12, 8.2.2 and 8.4.2).
      const timeScale = edited.readUInt32BE(at + 16)
      edited.writeUInt32BE(Math.min(143_165 * timeScale, 0xfffffffe), at + 20)
    }
  }
  return edited
}
