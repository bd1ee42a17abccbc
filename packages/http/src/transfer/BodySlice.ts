/**
 * The slices that the body of a response is made of.
 */
import type { ByteRange } from "@holdfast/core/storage/BlobStore"

/** A range of the content's bytes, or literal bytes, such as the head of a part in `multipart/byteranges`. */
export type BodySlice = ByteRange | Uint8Array

/** Whether a slice consists of literal bytes. */
export const isLiteral = (slice: BodySlice): slice is Uint8Array => slice instanceof Uint8Array
