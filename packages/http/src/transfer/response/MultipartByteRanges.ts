/**
 * Several ranges of one content as a `multipart/byteranges` body (RFC 9110, section 14.6).
 */
import type { BodySlice } from "../BodySlice.ts"
import { type ByteRange, lengthOf } from "../request/ByteRanges.ts"

export interface MultipartBody {
  /** The `Content-Type` of the response. */
  readonly contentType: string
  /** The `Content-Length` of the response. */
  readonly length: number
  /** The heads of the parts and the ranges of the content, in the order in which they are sent. */
  readonly slices: ReadonlyArray<BodySlice>
}

/**
 * Frames ranges of a content as parts of a body.
 *
 * @param content.contentType The type of the whole content. It becomes the type of every part.
 * @param boundary 1 to 70 characters of those that RFC 2046, section 5.1.1 allows. It must be random, so that no content can
 * be made to contain it.
 */
export const frame = (
  ranges: ReadonlyArray<ByteRange>,
  content: { readonly size: number; readonly contentType: string },
  boundary: string
): MultipartBody => {
  const slices: Array<BodySlice> = []
  let length = 0
  const push = (slice: BodySlice): void => {
    slices.push(slice)
    length += slice.length
  }
  for (const range of ranges) {
    const lines = [
      `--${boundary}`,
      `Content-Type: ${content.contentType}`,
      `Content-Range: bytes ${range.start}-${range.end}/${content.size}`
    ]
    push(Buffer.from(`${slices.length === 0 ? "" : "\r\n"}${lines.join("\r\n")}\r\n\r\n`, "latin1"))
    push({ offset: range.start, length: lengthOf(range) })
  }
  push(Buffer.from(`\r\n--${boundary}--\r\n`, "latin1"))
  return { contentType: `multipart/byteranges; boundary=${boundary}`, length, slices }
}
