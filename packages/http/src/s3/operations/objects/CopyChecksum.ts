/**
 * The checksum of a copy: of all of its bytes, by the algorithm that the request asks for, or else by that of the source.
 *
 * A store that copies a blob knows the SHA-256 of its bytes, and no other checksum. Where the copy needs another one that the source does
 * not have, its bytes pass through this process.
 */
import type { Download } from "@holdfast/core/files/Downloads"
import * as Checksums from "../../payload/Checksums.ts"
import * as HashedCopy from "../../payload/HashedCopy.ts"
import type { ChecksumAlgorithm } from "../../payload/Payload.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"

export interface CopyChecksum {
  /** The bytes of the source. */
  readonly content: ReturnType<Download["read"]>
  /** Whether the checksum needs the bytes of `content`. */
  readonly isComputed: boolean
  /** Returns `Content.checksum` of the copy. Valid after `content` has ended, if the checksum is computed. */
  readonly checksum: () => string | undefined
}

/** Returns the content of a copy, with its checksum. `tenantId` is whose turns the hashing takes. */
export const make = (
  { content, read }: Pick<Download, "content" | "read">,
  requested: ChecksumAlgorithm | undefined,
  tenantId: string
): CopyChecksum => {
  const source = ObjectChecksum.find(content)
  const algorithm = requested ?? source?.algorithm ?? "SHA256"
  // The SHA-256 of the record is that of each content without another checksum.
  if (algorithm === "SHA256") return { content: read(), isComputed: false, checksum: () => undefined }
  if (source?.type === "FULL_OBJECT" && source.algorithm === algorithm) {
    return { content: read(), isComputed: false, checksum: () => content.checksum }
  }
  const hash = Checksums.make(algorithm)
  let value: string | undefined
  return {
    content: HashedCopy.make(read(), [hash], tenantId),
    isComputed: true,
    checksum: () => {
      value ??= hash.digest().toString("base64")
      return ObjectChecksum.write({ algorithm, value, type: "FULL_OBJECT" })
    }
  }
}
