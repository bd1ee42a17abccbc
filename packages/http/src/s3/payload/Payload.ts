/**
 * The content that a request to the S3 API sends.
 */
import type { ContentTooLarge } from "@holdfast/core/files/FileErrors"
import type * as Stream from "effect/Stream"
import type { BodyError } from "../../transfer/upload/RequestBody.ts"
import type { S3Error } from "../S3Error.ts"

export type PayloadError = BodyError | ContentTooLarge | S3Error

/** The algorithms of checksums, as in `x-amz-checksum-algorithm`. */
export type ChecksumAlgorithm = "CRC32" | "CRC32C" | "CRC64NVME" | "SHA1" | "SHA256"

export interface Checksum {
  readonly algorithm: ChecksumAlgorithm
  /** In base64, as headers have it. */
  readonly value: string
}

export interface Payload {
  /**
   * The bytes, which can be read once. The stream fails at its end with `BadDigest` and the like where the bytes are not those
   * that the client declares, so that nothing is stored.
   */
  readonly content: Stream.Stream<Uint8Array, PayloadError>
  /** Bytes of the content; undefined when the client declares none. */
  readonly length: number | undefined
  /** Returns the MD5 of the content, hexadecimal. Valid after `content` has ended. */
  readonly md5: () => string
  /** Returns the checksum that the client has sent and that was verified; undefined for none. Valid after `content` has ended. */
  readonly checksum: () => Checksum | undefined
}
