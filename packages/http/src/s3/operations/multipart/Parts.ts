/**
 * Stores and lists the parts of multipart uploads.
 */
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import type { UploadPart } from "@holdfast/core/uploads/Upload"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type { Call } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import * as Checksums from "../../payload/Checksums.ts"
import * as HashedCopy from "../../payload/HashedCopy.ts"
import type { ChecksumAlgorithm } from "../../payload/Payload.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as Count from "../Count.ts"
import * as EntityTag from "../EntityTag.ts"
import * as CopySource from "../objects/CopySource.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"
import * as Owner from "../Owner.ts"
import * as ChecksumTerms from "./ChecksumTerms.ts"
import * as PartNumber from "./PartNumber.ts"
import * as PartTag from "./PartTag.ts"
import * as UploadOf from "./UploadOf.ts"

/** The most parts of a page. */
const maxListed = 1000

const numberOf = ({ query }: Call): Effect.Effect<number, S3Error> => PartNumber.parse(query.get("partNumber") ?? "")

export const uploadPart: Operation = {
  name: "UploadPart",
  method: "PUT",
  target: "object",
  query: { partNumber: true, uploadId: true },
  make: Effect.gen(function* () {
    const findUpload = yield* UploadOf.make
    const uploads = yield* ResumableUploads
    return Effect.fnUntraced(function* (call) {
      const number = yield* numberOf(call)
      const { ref } = yield* findUpload(call)
      const payload = yield* call.openPayload
      const tag = () => PartTag.write(PartTag.of(payload))
      yield* uploads.putPart(call.actor, ref, payload.content, { number, length: payload.length, tag })
      const { checksum, md5 } = PartTag.of(payload)
      return S3Response.empty({
        headers: {
          etag: EntityTag.ofMd5(md5),
          ...(checksum === undefined ? undefined : ObjectChecksum.header(checksum))
        }
      })
    })
  })
}

/** Returns the range of a source that a part copies; undefined for all of it. */
const rangeOf = (
  { headers }: Call,
  size: number
): Effect.Effect<{ readonly offset: number; readonly length: number } | undefined, S3Error> => {
  const header = headers["x-amz-copy-source-range"]
  if (header === undefined) return Effect.undefined
  const match = /^bytes=([0-9]{1,15})-([0-9]{1,15})$/.exec(header)
  const [start, end] = [Number(match?.[1]), Number(match?.[2])]
  if (match === null || start > end) {
    return Effect.fail(S3Error.of("InvalidArgument", "The header x-amz-copy-source-range must be bytes=FIRST-LAST."))
  }
  return end < size
    ? Effect.succeed({ offset: start, length: end - start + 1 })
    : Effect.fail(S3Error.of("InvalidRange", `The source has ${size} bytes.`))
}

/** Makes the hashes of a part that is copied: its MD5, and the checksum that the upload was created with. */
const makeHashes = (algorithm: ChecksumAlgorithm | undefined) => {
  const md5 = createHash("md5")
  const checksum = algorithm === undefined ? undefined : { algorithm, hash: Checksums.make(algorithm) }
  let tag: PartTag.PartTag | undefined
  return {
    all: checksum === undefined ? [md5] : [md5, checksum.hash],
    /** Valid after the content has ended. */
    tag: (): PartTag.PartTag =>
      (tag ??= {
        md5: md5.digest("hex"),
        checksum: checksum && { algorithm: checksum.algorithm, value: checksum.hash.digest().toString("base64") }
      })
  }
}

export const uploadPartCopy: Operation = {
  name: "UploadPartCopy",
  method: "PUT",
  target: "object",
  query: { partNumber: true, uploadId: true },
  header: "x-amz-copy-source",
  make: Effect.gen(function* () {
    const findUpload = yield* UploadOf.make
    const openSource = yield* CopySource.make
    const uploads = yield* ResumableUploads
    return Effect.fnUntraced(function* (call) {
      const number = yield* numberOf(call)
      const { ref, upload } = yield* findUpload(call)
      const { download } = yield* openSource(call)
      const { size } = download.content
      const range = yield* rangeOf(call, size)
      yield* CopySource.checkSize(range?.length ?? size)
      const hashes = makeHashes(ChecksumTerms.algorithmOf(upload))
      const part = yield* uploads.putPart(
        call.actor,
        ref,
        HashedCopy.make(download.read(range), hashes.all, call.tenantId),
        { number, length: range?.length ?? size, tag: () => PartTag.write(hashes.tag()) }
      )
      const { checksum, md5 } = hashes.tag()
      return S3Response.xml("CopyPartResult", [
        ["ETag", EntityTag.ofMd5(md5)],
        ["LastModified", DateTime.formatIso(part.createdAt)],
        PartTag.checksumElement(checksum)
      ])
    })
  })
}

const partElement = (part: UploadPart): Xml.Element => {
  const { checksum, md5 } = PartTag.read(part)
  return [
    "Part",
    [
      ["PartNumber", part.number],
      ["LastModified", DateTime.formatIso(part.createdAt)],
      ["ETag", EntityTag.ofMd5(md5)],
      ["Size", part.size],
      PartTag.checksumElement(checksum)
    ]
  ]
}

export const listParts: Operation = {
  name: "ListParts",
  method: "GET",
  target: "object",
  query: { uploadId: true },
  make: Effect.gen(function* () {
    const findUpload = yield* UploadOf.make
    const uploads = yield* ResumableUploads
    return Effect.fnUntraced(function* (call) {
      const { query } = call
      const marker = Count.parse(query.get("part-number-marker") ?? "0")
      const wanted = Count.parse(query.get("max-parts") ?? String(maxListed))
      if (marker === undefined || wanted === undefined) {
        return yield* S3Error.of("InvalidArgument", `Each of max-parts and part-number-marker ${Count.fault}.`)
      }
      const limit = Math.min(wanted, maxListed)
      const { ref, upload } = yield* findUpload(call)
      // One part more than asked for shows whether there are more.
      const read = Math.max(1, Math.min(limit + 1, maxListed))
      const found = yield* uploads.listParts(call.actor, ref, { after: marker, limit: read })
      const parts = found.slice(0, limit)
      const isTruncated =
        found.length > limit ||
        (parts.length === maxListed &&
          (yield* uploads.listParts(call.actor, ref, { after: parts.at(-1)?.number, limit: 1 })).length > 0)
      const owner = Owner.element(call)
      return S3Response.xml("ListPartsResult", [
        ["Bucket", call.bucket],
        ["Key", call.key],
        ["UploadId", upload.id],
        ["Initiator", owner[1]],
        owner,
        ["StorageClass", "STANDARD"],
        ["PartNumberMarker", marker],
        ["NextPartNumberMarker", parts.at(-1)?.number ?? 0],
        ["MaxParts", limit],
        ["IsTruncated", isTruncated],
        ...parts.map(partElement)
      ])
    })
  })
}
