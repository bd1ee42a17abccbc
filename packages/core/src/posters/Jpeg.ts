/**
 * Checks that bytes are a JPEG picture (ITU-T T.81, annex B), without decoding it.
 */

/** Markers. */
const startOfImage = 0xd8
const endOfImage = 0xd9
const startOfScan = 0xda
/** Frames of a picture: all codings but the lossless and the arithmetic ones, which browsers do not show. */
const frames = new Set([0xc0, 0xc1, 0xc2])

/** Pixels of a side. */
const maxSide = 8192

/** Returns width and height; undefined if the bytes are no JPEG that browsers show, or one of more than 8192 pixels a side. */
export const sizeOf = (bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined => {
  if (bytes[0] !== 0xff || bytes[1] !== startOfImage) return undefined
  if (bytes.at(-2) !== 0xff || bytes.at(-1) !== endOfImage) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 2; at + 9 < bytes.length;) {
    const marker = bytes[at + 1] ?? 0
    const length = view.getUint16(at + 2)
    if (bytes[at] !== 0xff || length < 2 || marker === startOfScan) return undefined
    if (frames.has(marker)) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)]
      return width > 0 && height > 0 && width <= maxSide && height <= maxSide ? { width, height } : undefined
    }
    at += 2 + length
  }
  return undefined
}
