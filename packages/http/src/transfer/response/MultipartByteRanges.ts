/**
 * Several ranges of one content as `multipart/byteranges` (RFC 9110, section 14.6).
 */
import type { BodySlice } from "../local/LargeFile.ts"
import { type ByteRange, lengthOf } from "../request/ByteRanges.ts"

export interface MultipartBody {
  /** The `Content-Type` of the response. */
  readonly contentType: string
  /** The `Content-Length` of the response. */
  readonly length: number
  /** Part heads and ranges in the order in which they are to be sent. */
  readonly slices: ReadonlyArray<BodySlice>
}

/**
 * Frames ranges of a content.
 *
 * @param content.contentType The type of the whole content, which every part carries.
 * @param boundary 1 to 70 characters of RFC 2046, section 5.1.1; random, so that no content can contain it on purpose.
 */
export const frame = (
  ranges: ReadonlyArray<ByteRange>,
  content: { readonly size: number; readonly contentType: string },
  boundary: string
): MultipartBody => {
  const pieces: Array<BodySlice> = []
  let length = 0
  const push = (piece: BodySlice): void => {
    pieces.push(piece)
    length += piece.length
  }
  for (const range of ranges) {
    const lines = [
      `--${boundary}`,
      `Content-Type: ${content.contentType}`,
      `Content-Range: bytes ${range.start}-${range.end}/${content.size}`
    ]
    push(Buffer.from(`${pieces.length === 0 ? "" : "\r\n"}${lines.join("\r\n")}\r\n\r\n`, "latin1"))
    push({ offset: range.start, length: lengthOf(range) })
  }
  push(Buffer.from(`\r\n--${boundary}--\r\n`, "latin1"))
  return { contentType: `multipart/byteranges; boundary=${boundary}`, length, slices: pieces }
}
