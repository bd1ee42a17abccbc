/**
 * The checksum of an object that is made of parts: of all of its bytes, or of the checksums of its parts.
 */
import type { UploadPart } from "@holdfast/core/uploads/Upload"
import * as Effect from "effect/Effect"
import type { Call } from "../../Call.ts"
import * as Checksums from "../../payload/Checksums.ts"
import * as CombinedCrc from "../../payload/CombinedCrc.ts"
import type { Checksum } from "../../payload/Payload.ts"
import { S3Error } from "../../S3Error.ts"
import type { ObjectChecksum } from "../ObjectChecksum.ts"
import * as PartTag from "./PartTag.ts"

/** What the headers of a completion declare. */
interface Declared {
  readonly checksum: Checksum | undefined
  readonly isFull: boolean
  /** The stated type; undefined for none. */
  readonly type: string | undefined
}

const differs = S3Error.of("BadDigest")
const unknown = S3Error.of(
  "InvalidRequest",
  "The checksum of the object cannot be checked. Send each part with a checksum of its algorithm."
)

const contradicts = S3Error.of(
  "InvalidRequest",
  "The header x-amz-checksum-type is not the checksum type that the upload was created with."
)

const declaredOf = (headers: Call["headers"], chosen: string | undefined): Declared => {
  let checksum: Checksum | undefined
  for (const [name, value] of Object.entries(headers)) {
    const algorithm = Checksums.algorithmOf(name)
    if (algorithm !== undefined && value !== undefined) checksum = { algorithm, value }
  }
  const type = headers["x-amz-checksum-type"]
  const wanted = type ?? chosen
  return {
    checksum,
    type,
    isFull: wanted === undefined ? /^[^-]+$/.test(checksum?.value ?? "-") : wanted === "FULL_OBJECT"
  }
}

/** How many checksums are read or combined before other requests get a turn. */
const batch = 500

/** Returns the checksum of an object of these parts; undefined unless all have one of the same algorithm. */
const compute = Effect.fnUntraced(function* (parts: ReadonlyArray<UploadPart>, wantsFull: boolean) {
  const checksums: Array<Checksum & Pick<UploadPart, "size">> = []
  for (const [index, part] of parts.entries()) {
    const { checksum } = PartTag.read(part)
    if (checksum === undefined || checksum.algorithm !== (checksums[0] ?? checksum).algorithm) return undefined
    checksums.push({ ...checksum, size: part.size })
    if (index % batch === batch - 1) yield* Effect.yieldNow
  }
  const algorithm = checksums[0]?.algorithm
  if (algorithm === undefined) return undefined
  // A CRC64NVME is one of the whole object only.
  if (CombinedCrc.isCrc(algorithm) && (wantsFull || algorithm === "CRC64NVME")) {
    const combined = CombinedCrc.make(algorithm)
    for (const [index, part] of checksums.entries()) {
      combined.add(part)
      if (index % batch === batch - 1) yield* Effect.yieldNow
    }
    return { ...combined.checksum(), type: "FULL_OBJECT" } satisfies ObjectChecksum
  }
  const total = Checksums.make(algorithm)
  for (const { value } of checksums) total.update(Buffer.from(value, "base64"))
  const value = `${total.digest().toString("base64")}-${parts.length}`
  return { algorithm, value, type: "COMPOSITE" } satisfies ObjectChecksum
})

/**
 * Returns the checksum of an object of these parts, of the type that the upload was created with, if it was. Fails unless it is the one
 * that the headers declare, if they do.
 */
export const check = Effect.fnUntraced(function* (
  parts: ReadonlyArray<UploadPart>,
  headers: Call["headers"],
  chosen: string | undefined
): Effect.fn.Return<ObjectChecksum | undefined, S3Error> {
  const { checksum: declared, isFull, type } = declaredOf(headers, chosen)
  if (type !== undefined && chosen !== undefined && type !== chosen) return yield* contradicts
  const found = yield* compute(parts, isFull)
  const computed = type === undefined || found?.type === type ? found : undefined
  if (declared === undefined) return computed
  if (computed?.algorithm !== declared.algorithm) return yield* unknown
  // Some clients leave out the number of parts.
  const value = declared.value.includes("-") ? computed.value : computed.value.replace(/-.*/, "")
  return value === declared.value ? computed : yield* differs
})
