/**
 * The digests of a content: its SHA-256 for the receipt, and its MD5 for the service. A chunk has no digest of its own.
 */
import type { ContentHasher } from "@holdfast/core/storage/MultipartUpload"
import { createHash } from "node:crypto"

export interface ContentDigests {
  /** Hexadecimal. */
  readonly sha256: string
  /** Base64. */
  readonly md5: string
}

/** Makes the hasher of one content. */
export const make = (): ContentHasher<undefined, ContentDigests> => {
  const sha256 = createHash("sha256")
  const md5 = createHash("md5")
  return {
    update: (bytes) => {
      sha256.update(bytes)
      md5.update(bytes)
    },
    endPart: () => undefined,
    endContent: () => ({ sha256: sha256.digest("hex"), md5: md5.digest("base64") })
  }
}
