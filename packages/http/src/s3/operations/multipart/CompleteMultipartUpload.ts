/**
 * Completes a multipart upload: makes its parts an object.
 */
import type { Actor } from "@holdfast/core/Actor"
import type { File } from "@holdfast/core/files/File"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import { maxParts, type UploadPart } from "@holdfast/core/uploads/Upload"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hash } from "node:crypto"
import * as BodyTurns from "../../../incoming/BodyTurns.ts"
import type { Call, CallError } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import * as Checksums from "../../payload/Checksums.ts"
import type { Checksum } from "../../payload/Payload.ts"
import * as XmlReader from "@holdfast/outbound/XmlReader"
import * as EntityTag from "../EntityTag.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"
import * as ObjectLocation from "../ObjectLocation.ts"
import * as ChecksumTerms from "./ChecksumTerms.ts"
import * as PartTag from "./PartTag.ts"
import * as UploadOf from "./UploadOf.ts"
import * as WholeChecksum from "./WholeChecksum.ts"

/** A part as the client lists it. */
interface ListedPart {
  readonly number: number
  /** Hexadecimal, without quotes. */
  readonly md5: string
  readonly checksum: Checksum | undefined
}

/** A stored part that the client has listed. */
interface ChosenPart extends ListedPart {
  readonly stored: UploadPart
}

/** The least size of each part but the last one, in bytes. */
const minPartBytes = 5 * 1024 * 1024

/** A part with all checksums has seven elements besides its own, and less than 500 bytes. */
const limits: XmlReader.Limits = { maxBytes: maxParts * 512, maxElements: maxParts * 10 }

const malformed = S3Error.of("MalformedXML")

const checksumOf = (element: XmlReader.XmlElement): Checksum | undefined => {
  for (const { name, text } of element.children) {
    const algorithm = Checksums.algorithmOf(`x-amz-${name.toLowerCase().replace("checksum", "checksum-")}`)
    if (algorithm !== undefined) return { algorithm, value: text.trim() }
  }
  return undefined
}

/** How many parts are read or compared before other requests have their turn: less than 2 ms, also before the code is compiled. */
const batch = 200

/** Returns the parts that a document lists. Of entries with the same number the last one counts: a part that was sent again. */
const parse = Effect.fnUntraced(function* (
  root: XmlReader.XmlElement,
  tenantId: string
): Effect.fn.Return<ReadonlyArray<ListedPart>, S3Error> {
  const elements = root.children.filter(({ name }) => name === "Part")
  if (root.name !== "CompleteMultipartUpload" || elements.length === 0) return yield* malformed
  if (elements.length > maxParts) return yield* malformed
  const parts: Array<ListedPart> = []
  for (const [index, element] of elements.entries()) {
    if (index % batch === batch - 1) yield* BodyTurns.wait(tenantId)
    const number = XmlReader.textOf(element, "PartNumber")?.trim() ?? ""
    const tag = XmlReader.textOf(element, "ETag")
    if (!/^[0-9]{1,5}$/.test(number) || tag === undefined) return yield* malformed
    if (parts.at(-1)?.number === Number(number)) parts.pop()
    parts.push({ number: Number(number), md5: tag.trim().replaceAll('"', ""), checksum: checksumOf(element) })
  }
  const isAscending = parts.every((part, index) => index === 0 || (parts[index - 1]?.number ?? 0) < part.number)
  return isAscending ? parts : yield* S3Error.of("InvalidPartOrder")
})

/** Returns the stored parts of a list. Fails for the first one that is not stored, differs or is too small. */
const choose = Effect.fnUntraced(function* (
  listed: ReadonlyArray<ListedPart>,
  stored: ReadonlyArray<UploadPart>,
  tenantId: string
): Effect.fn.Return<ReadonlyArray<ChosenPart>, S3Error> {
  const byNumber = new Map(stored.map((part) => [part.number, part]))
  const chosen: Array<ChosenPart> = []
  for (const [index, part] of listed.entries()) {
    if (index % batch === batch - 1) yield* BodyTurns.wait(tenantId)
    const found = byNumber.get(part.number)
    const tag = found === undefined ? undefined : PartTag.read(found)
    const isSame =
      tag?.md5 === part.md5 &&
      (part.checksum === undefined ||
        tag.checksum?.algorithm !== part.checksum.algorithm ||
        tag.checksum.value === part.checksum.value)
    if (found === undefined || !isSame) {
      const detail = `The part ${part.number} was not uploaded, or has another entity tag or checksum.`
      return yield* S3Error.of("InvalidPart", detail)
    }
    chosen.push({ ...part, stored: found })
  }
  const small = chosen.slice(0, -1).find(({ stored: { size } }) => size < minPartBytes)
  return small === undefined ? chosen : yield* S3Error.of("EntityTooSmall")
})

/** Fails unless the parts have as many bytes together as the client declares, if it does. */
const checkSize = (parts: ReadonlyArray<UploadPart>, headers: Call["headers"]): Effect.Effect<void, S3Error> => {
  const declared = headers["x-amz-mp-object-size"]
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  return declared === undefined || declared === String(size)
    ? Effect.void
    : Effect.fail(
        S3Error.of("InvalidRequest", `The header x-amz-mp-object-size is not the ${size} bytes of the parts.`)
      )
}

/** Returns the entity tag of an object of these parts: the MD5 of their MD5s, and their number. */
const entityTag = (parts: ReadonlyArray<ListedPart>): string => {
  const md5s = Buffer.from(parts.map(({ md5 }) => md5).join(""), "hex")
  return `"${hash("md5", md5s, "hex")}-${parts.length}"`
}

/** Makes the function that reads all parts of an open upload. */
const makeListAll = Effect.map(ResumableUploads, (uploads) =>
  Effect.fnUntraced(function* (actor: Actor, ref: UploadRef): Effect.fn.Return<ReadonlyArray<UploadPart>, CallError> {
    const parts: Array<UploadPart> = []
    while (true) {
      const page = yield* uploads.listParts(actor, ref, { after: parts.at(-1)?.number, limit: 1000 })
      parts.push(...page)
      if (page.length < 1000) return parts
    }
  })
)

/** Makes the function that returns the condition of a request by the tags that contents have. */
const makeConditionOf = Effect.map(FilesByKey, (keys) =>
  Effect.fnUntraced(function* ({ actor, headers, key }: Call, ref: UploadRef) {
    const wanted = {
      ifMatch: EntityTag.parse(headers["if-match"]),
      ifNoneMatch: EntityTag.parse(headers["if-none-match"])
    }
    if (wanted.ifMatch === undefined && wanted.ifNoneMatch === undefined) return undefined
    const current = Option.getOrNull(yield* keys.find(actor, ref, key))
    if (current === null && wanted.ifMatch !== undefined) return yield* S3Error.of("NoSuchKey")
    return EntityTag.condition(wanted, current?.content ?? null)
  })
)

/** Makes the function that returns the stored checksum of a file that an upload has made; undefined when it has another content by now. */
const makeFindChecksum = Effect.map(FilesByKey, (keys) =>
  Effect.fnUntraced(function* ({ actor, key }: Call, ref: UploadRef, { etag }: Pick<File, "etag">) {
    const { content } = Option.getOrUndefined(yield* keys.find(actor, ref, key)) ?? { content: null }
    return content?.etag === etag && content.checksum !== undefined ? ObjectChecksum.find(content) : undefined
  })
)

export const completeMultipartUpload: Operation = {
  name: "CompleteMultipartUpload",
  method: "POST",
  target: "object",
  query: { uploadId: true },
  make: Effect.gen(function* () {
    const findUpload = yield* UploadOf.make
    const uploads = yield* ResumableUploads
    const listAll = yield* makeListAll
    const conditionOf = yield* makeConditionOf
    const findChecksum = yield* makeFindChecksum
    const locate = yield* ObjectLocation.make
    return Effect.fnUntraced(function* (call) {
      const { actor, bucket, headers, key, tenantId } = call
      const { ref, upload } = yield* findUpload(call)
      const listed = yield* parse(yield* call.readXml(limits), tenantId)
      const isDone = upload.state !== "OPEN"
      // A repeated request gets the same answer.
      const chosen = isDone ? [] : yield* choose(listed, yield* listAll(actor, ref), tenantId)
      const parts = chosen.map(({ stored }) => stored)
      if (!isDone) yield* checkSize(parts, headers)
      const computed = isDone ? undefined : yield* WholeChecksum.check(parts, headers, ChecksumTerms.typeOf(upload))
      const condition = isDone ? undefined : yield* conditionOf(call, ref)
      const file = yield* uploads.complete(actor, ref, {
        parts: parts.map(({ number, tag }) => ({ number, tag: tag ?? undefined })),
        etag: entityTag(listed),
        checksum: ObjectChecksum.write(computed),
        ...(condition === undefined ? undefined : { condition })
      })
      const checksum = isDone ? yield* findChecksum(call, ref, file) : computed
      return S3Response.xml("CompleteMultipartUploadResult", [
        ["Location", locate(call, call.path)],
        ["Bucket", bucket],
        ["Key", key],
        ["ETag", EntityTag.of(file.etag ?? "")],
        ...ObjectChecksum.elements(checksum)
      ])
    })
  })
}
