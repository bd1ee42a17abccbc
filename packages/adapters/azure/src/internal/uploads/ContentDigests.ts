/**
 * The digests of a content: its SHA-256 for the receipt, and the MD5 of each block for its request.
 */
import type { ContentHasher } from "@holdfast/core/storage/MultipartUpload"
import { createHash } from "node:crypto"

/** Makes the hasher of one content. A block's digest is its MD5; the content's is its SHA-256, hexadecimal. */
export const make = (): ContentHasher<Uint8Array, string> => {
  const content = createHash("sha256")
  let block = createHash("md5")
  return {
    update: (bytes) => {
      content.update(bytes)
      block.update(bytes)
    },
    endPart: () => {
      const md5 = block.digest()
      block = createHash("md5")
      return md5
    },
    endContent: () => content.digest("hex")
  }
}
