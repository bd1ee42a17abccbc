/**
 * The checksum that the creation of a multipart upload chooses for its object.
 */
import type { Upload } from "@holdfast/core/uploads/Upload"
import * as Effect from "effect/Effect"
import type { Call } from "../../Call.ts"
import * as Checksums from "../../payload/Checksums.ts"
import * as CombinedCrc from "../../payload/CombinedCrc.ts"
import type { ChecksumAlgorithm } from "../../payload/Payload.ts"
import { S3Error } from "../../S3Error.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"

const { algorithmHeader } = ObjectChecksum
const typeHeader = "x-amz-checksum-type"

const refuse = (detail: string) => Effect.fail(S3Error.of("InvalidRequest", detail))

/**
 * Returns the algorithm and the type that headers choose, with the type's default, as headers; undefined for neither. They are the notes
 * of the upload. Fails for a choice that Amazon S3 refuses.
 */
export const fromHeaders = Effect.fnUntraced(function* (
  headers: Call["headers"]
): Effect.fn.Return<Readonly<Record<string, string>> | undefined, S3Error> {
  const algorithm = yield* ObjectChecksum.requested(headers)
  const stated = headers[typeHeader]
  if (algorithm === undefined) {
    return stated === undefined ? undefined : yield* refuse(`The header ${typeHeader} requires ${algorithmHeader}.`)
  }
  const type = stated ?? (algorithm === "CRC64NVME" ? "FULL_OBJECT" : "COMPOSITE")
  if (type !== "FULL_OBJECT" && type !== "COMPOSITE") {
    return yield* refuse(`The header ${typeHeader} must be COMPOSITE or FULL_OBJECT.`)
  }
  const isPossible = type === "FULL_OBJECT" ? CombinedCrc.isCrc(algorithm) : algorithm !== "CRC64NVME"
  if (!isPossible) return yield* refuse(`The checksum type ${type} cannot be used with ${algorithm}.`)
  return { [algorithmHeader]: algorithm, [typeHeader]: type }
})

/** Returns the chosen type of the checksum; undefined for an upload that chose none, or was created before the choice was stored. */
export const typeOf = ({ terms }: Pick<Upload, "terms">): string | undefined => terms.notes?.[typeHeader]

/** Returns the chosen algorithm of the checksum; undefined as for `typeOf`. */
export const algorithmOf = ({ terms }: Pick<Upload, "terms">): ChecksumAlgorithm | undefined =>
  Checksums.algorithmNamed(terms.notes?.[algorithmHeader] ?? "")
