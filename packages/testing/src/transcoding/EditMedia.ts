/**
 * Edits media files, for samples that ffmpeg cannot make itself.
 */

/** Rotates the first track of an MP4 by 90 degrees, in the matrix of its header (ISO/IEC 14496-12, 8.3.2). */
export const rotateTrack = (media: Buffer): Buffer => {
  const edited = Buffer.from(media)
  const matrix = edited.indexOf("tkhd") + 4 + 40
  const values = [0, 0x10000, 0, 0xffff0000, 0, 0, 0, 0, 0x40000000]
  for (const [index, value] of values.entries()) edited.writeUInt32BE(value, matrix + 4 * index)
  return edited
}

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
