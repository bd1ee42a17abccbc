/**
 * The checksum of an object: as it is stored with the content, and as answers have it.
 */
import type { Content } from "@holdfast/core/files/File"
import * as Effect from "effect/Effect"
import type { Call } from "../Call.ts"
import * as Checksums from "../payload/Checksums.ts"
import type { Checksum, ChecksumAlgorithm } from "../payload/Payload.ts"
import { S3Error } from "../S3Error.ts"
import type * as Xml from "../xml/Xml.ts"

/** Whether it is the checksum of all bytes, or of the checksums of the parts. */
export type ChecksumType = "FULL_OBJECT" | "COMPOSITE"

export interface ObjectChecksum extends Checksum {
  readonly type: ChecksumType
}

/** The header that asks for an algorithm. */
export const algorithmHeader = "x-amz-checksum-algorithm"

const unsupported = S3Error.of(
  "InvalidRequest",
  `The header ${algorithmHeader} must be CRC32, CRC32C, CRC64NVME, SHA1 or SHA256.`
)

/** Returns the algorithm that a request asks for; undefined for none. Fails with `InvalidRequest` for another one. */
export const requested = (headers: Call["headers"]): Effect.Effect<ChecksumAlgorithm | undefined, S3Error> => {
  const name = headers[algorithmHeader]
  if (name === undefined) return Effect.undefined
  const algorithm = Checksums.algorithmNamed(name)
  return algorithm === undefined ? Effect.fail(unsupported) : Effect.succeed(algorithm)
}

/** Returns the checksum of the bytes that a request has sent. */
export const ofBytes = (checksum: Checksum | undefined): ObjectChecksum | undefined =>
  checksum === undefined ? undefined : { ...checksum, type: "FULL_OBJECT" }

/** Returns the text that is stored with the content; undefined for none. */
export const write = (checksum: ObjectChecksum | undefined): string | undefined =>
  checksum === undefined ? undefined : `${checksum.algorithm} ${checksum.value} ${checksum.type}`

/** Returns the checksum that was stored with a content, or its SHA-256; undefined while neither is known. */
export const find = ({ checksum = "", sha256 }: Pick<Content, "checksum" | "sha256">): ObjectChecksum | undefined => {
  const [name = "", value = "", type] = checksum.split(" ")
  const algorithm = Checksums.algorithmNamed(name)
  if (algorithm !== undefined) return { algorithm, value, type: type === "COMPOSITE" ? type : "FULL_OBJECT" }
  if (sha256 === null) return undefined
  return { algorithm: "SHA256", value: Buffer.from(sha256, "hex").toString("base64"), type: "FULL_OBJECT" }
}

/** Returns the header with a checksum. */
export const header = ({ algorithm, value }: Checksum): Record<string, string> => ({
  [Checksums.headerOf(algorithm)]: value
})

/** Returns the headers with the checksum of an object. */
export const headers = (checksum: ObjectChecksum | undefined): Record<string, string> =>
  checksum === undefined ? {} : { ...header(checksum), "x-amz-checksum-type": checksum.type }

/** Returns the elements with the checksum of an object. */
export const elements = (checksum: ObjectChecksum | undefined): ReadonlyArray<Xml.Element> =>
  checksum === undefined
    ? []
    : [
        [`Checksum${checksum.algorithm}`, checksum.value],
        ["ChecksumType", checksum.type]
      ]
