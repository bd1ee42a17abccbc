/**
 * The digests of a content: its SHA-256 for the receipt, and of each part what the request of the part needs
 * (`PayloadHash`).
 */
import type { ContentHasher } from "@holdfast/core/storage/MultipartUpload"
import { createHash, type Hash } from "node:crypto"

export interface PartDigests {
  /** Base64, as in the header Content-MD5. */
  readonly md5: string | undefined
  /** Hexadecimal, as in a signature. */
  readonly sha256: string | undefined
}

/**
 * Makes the hasher of one content. Over TLS every part has an MD5, otherwise a SHA-256. The first part has both without
 * TLS: it may be the whole object, and Object Lock requires an MD5 of an object. The content's digest is its SHA-256,
 * hexadecimal.
 */
export const make = (isEncrypted: boolean): ContentHasher<PartDigests, string> => {
  const content = createHash("sha256")
  let md5: Hash | undefined = createHash("md5")
  // Undefined for the first part, whose SHA-256 is that of the content so far.
  let sha256: Hash | undefined
  return {
    update: (bytes) => {
      content.update(bytes)
      md5?.update(bytes)
      sha256?.update(bytes)
    },
    endPart: () => {
      const digests = {
        md5: md5?.digest("base64"),
        sha256: isEncrypted ? undefined : (sha256 ?? content.copy()).digest("hex")
      }
      md5 = isEncrypted ? createHash("md5") : undefined
      sha256 = isEncrypted ? undefined : createHash("sha256")
      return digests
    },
    endContent: () => content.digest("hex")
  }
}
