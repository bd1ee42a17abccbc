/**
 * The checksums that clients declare: in a header, in a trailer, or as `Content-MD5`.
 */
import { createHash } from "node:crypto"
import * as Result from "effect/Result"
import { S3Error } from "../S3Error.ts"
import * as Crc from "./Crc.ts"
import type { Checksum, ChecksumAlgorithm } from "./Payload.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Bytes of a checksum. */
const lengths: Readonly<Record<ChecksumAlgorithm, number>> = { CRC32: 4, CRC32C: 4, CRC64NVME: 8, SHA1: 20, SHA256: 32 }

const algorithms = Object.keys(lengths).filter((name): name is ChecksumAlgorithm => name in lengths)

/** Returns the name of the header, or trailer, with a checksum. */
export const headerOf = (algorithm: ChecksumAlgorithm): string => `x-amz-checksum-${algorithm.toLowerCase()}`

/** Returns the algorithm of a header such as `x-amz-checksum-crc32`; undefined for another name. */
export const algorithmOf = (header: string): ChecksumAlgorithm | undefined =>
  algorithms.find((algorithm) => headerOf(algorithm) === header)

/** Returns the algorithm of this name, in any letter case; undefined for another name. */
export const algorithmNamed = (name: string): ChecksumAlgorithm | undefined =>
  algorithms.find((algorithm) => algorithm === name.toUpperCase())

/** Makes what computes a checksum. */
export const make = (algorithm: ChecksumAlgorithm): Crc.Crc => {
  switch (algorithm) {
    case "CRC32":
      return Crc.makeCrc32()
    case "CRC32C":
      return Crc.makeCrc32c()
    case "CRC64NVME":
      return Crc.makeCrc64()
    case "SHA1":
    case "SHA256": {
      const hash = createHash(algorithm.toLowerCase())
      return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest() }
    }
  }
}

/** Whether a text is the base64 of so many bytes. */
const isBase64 = (text: string, length: number): boolean => {
  const bytes = Buffer.from(text, "base64")
  return bytes.length === length && bytes.toString("base64") === text
}

/** Whether a text is a checksum of this algorithm. */
export const isValid = ({ algorithm, value }: Checksum): boolean => isBase64(value, lengths[algorithm])

/** What a request declares of its content. */
export interface Declared {
  readonly checksum: Checksum | undefined
  /** The algorithm of the checksum that follows the content. */
  readonly trailer: ChecksumAlgorithm | undefined
  /** Hexadecimal. */
  readonly md5: string | undefined
}

/** Returns the checksum that headers declare. Checksums in the query, as presigned URLs of the AWS SDK have them, are ignored. */
export const fromHeaders = (headers: Headers): Result.Result<Declared, S3Error> => {
  const md5 = headers["content-md5"]
  if (md5 !== undefined && !isBase64(md5, 16)) return Result.fail(S3Error.of("InvalidDigest"))
  const found = algorithms.flatMap((algorithm) => {
    const value = headers[headerOf(algorithm)]
    return value === undefined ? [] : [{ algorithm, value }]
  })
  const [checksum] = found
  if (found.length > 1) return Result.fail(S3Error.of("InvalidRequest", "A request declares at most one checksum."))
  if (checksum !== undefined && !isValid(checksum)) {
    return Result.fail(S3Error.of("BadDigest", `The header ${headerOf(checksum.algorithm)} is not a valid checksum.`))
  }
  const named = headers["x-amz-trailer"]
  const trailer = named === undefined ? undefined : algorithmOf(named.trim().toLowerCase())
  if (named !== undefined && trailer === undefined) {
    return Result.fail(S3Error.of("InvalidRequest", "The header x-amz-trailer must name one checksum."))
  }
  if (trailer !== undefined && checksum !== undefined) {
    return Result.fail(S3Error.of("InvalidRequest", "A request declares at most one checksum."))
  }
  return Result.succeed({
    checksum,
    trailer,
    md5: md5 === undefined ? undefined : Buffer.from(md5, "base64").toString("hex")
  })
}
