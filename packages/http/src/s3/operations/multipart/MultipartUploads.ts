/**
 * Creates, lists and aborts multipart uploads.
 */
import * as FileKey from "@holdfast/core/files/keys/FileKey"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Actor } from "@holdfast/core/Actor"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import type { Upload } from "@holdfast/core/uploads/Upload"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { CallError } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import * as CanonicalRequest from "../../signature/CanonicalRequest.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as BucketOf from "../BucketOf.ts"
import * as Count from "../Count.ts"
import * as KeyPrefix from "../KeyPrefix.ts"
import * as ObjectMetadata from "../objects/ObjectMetadata.ts"
import * as Owner from "../Owner.ts"
import * as ChecksumTerms from "./ChecksumTerms.ts"
import * as UploadOf from "./UploadOf.ts"

/** The most entries of a page. */
const maxUploads = 1000

export const createMultipartUpload: Operation = {
  name: "CreateMultipartUpload",
  method: "POST",
  target: "object",
  query: { uploads: true },
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const uploads = yield* ResumableUploads
    return Effect.fnUntraced(function* (call) {
      const { actor, headers, key } = call
      const bucket = yield* findBucket(call)
      const place = yield* FileKey.toPlace(key)
      const { contentType, ...description } = yield* ObjectMetadata.fromRequest(headers)
      const notes = yield* ChecksumTerms.fromHeaders(headers)
      const { id } = yield* uploads.create(
        actor,
        bucket,
        { ...place, ...description },
        { mode: "PARTS", onConflict: "replace", notes, ...(contentType === undefined ? undefined : { contentType }) }
      )
      return S3Response.xml(
        "InitiateMultipartUploadResult",
        [
          ["Bucket", call.bucket],
          ["Key", key],
          ["UploadId", id]
        ],
        { headers: { ...notes } }
      )
    })
  })
}

export const abortMultipartUpload: Operation = {
  name: "AbortMultipartUpload",
  method: "DELETE",
  target: "object",
  query: { uploadId: true },
  make: Effect.gen(function* () {
    const findUpload = yield* UploadOf.make
    const uploads = yield* ResumableUploads
    return (call) =>
      Effect.flatMap(findUpload(call), ({ ref }) =>
        Effect.as(uploads.abort(call.actor, ref), S3Response.empty({ status: 204 }))
      )
  })
}

/** A position in the order of the list: by key, and uploads of the same key by id. */
interface Marker {
  readonly key: string
  readonly id: string
}

const compare = (one: Marker, other: Marker): number => {
  const byKey = Buffer.compare(Buffer.from(one.key), Buffer.from(other.key))
  return byKey === 0 ? (one.id < other.id ? -1 : one.id > other.id ? 1 : 0) : byKey
}

/** Reads all open uploads of a bucket. A tenant has at most a thousand. */
const makeListAll = Effect.map(ResumableUploads, (uploads) =>
  Effect.fnUntraced(function* (actor: Actor, bucket: BucketRef): Effect.fn.Return<ReadonlyArray<Upload>, CallError> {
    const found: Array<Upload> = []
    let cursor: string | undefined
    do {
      const page = yield* uploads.list(actor, bucket, { limit: 1000, cursor })
      found.push(...page.items.filter(({ mode }) => mode === "PARTS"))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return found
  })
)

/** Groups entries by the part of their keys up to the delimiter; undefined for a key that is listed itself. */
const groupOf = (key: string, prefix: string, delimiter: string): string | undefined => {
  const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length)
  return end < 0 ? undefined : key.slice(0, end + delimiter.length)
}

const uploadElement = (
  { createdAt, id, key }: Marker & Pick<Upload, "createdAt">,
  owner: Xml.Element,
  write: (key: string) => string
): Xml.Element => [
  "Upload",
  [
    ["Key", write(key)],
    ["UploadId", id],
    owner,
    ["StorageClass", "STANDARD"],
    ["Initiated", DateTime.formatIso(createdAt)]
  ]
]

export const listMultipartUploads: Operation = {
  name: "ListMultipartUploads",
  method: "GET",
  target: "bucket",
  query: { uploads: true },
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const listAll = yield* makeListAll
    return Effect.fnUntraced(function* (call) {
      const { actor, query } = call
      const get = (name: string) => query.get(name) ?? ""
      const prefix = get("prefix")
      const [delimiter, keyMarker] = [get("delimiter").normalize("NFC"), get("key-marker").normalize("NFC")]
      const idMarker = get("upload-id-marker")
      const { spell, stored } = KeyPrefix.of(prefix)
      const wanted = Count.parse(query.get("max-uploads") ?? String(maxUploads))
      if (wanted === undefined) {
        return yield* S3Error.of("InvalidArgument", `The parameter max-uploads ${Count.fault}.`)
      }
      const limit = Math.min(wanted, maxUploads)
      const isEncoded = query.get("encoding-type") === "url"
      const write = isEncoded
        ? (key: string) => CanonicalRequest.encode(key).replaceAll("%2F", "/")
        : (key: string) => key
      const writeListed = (key: string) => write(spell(key))
      const bucket = yield* findBucket(call)
      // Without a marker of the id, the list continues behind all uploads of the key.
      const after = { key: keyMarker, id: idMarker === "" ? "\u{ffff}" : idMarker }
      const found = (yield* listAll(actor, bucket))
        .map((upload) => ({ key: UploadOf.keyOf(upload), id: upload.id, createdAt: upload.createdAt }))
        .filter((entry) => entry.key.startsWith(stored) && (keyMarker === "" || compare(entry, after) > 0))
        .toSorted(compare)
      const owner = Owner.element(call)
      const groups = new Set<string>()
      const entries: Array<Xml.Element> = []
      let last: Marker | undefined
      let isTruncated = false
      for (const entry of found) {
        const group = groupOf(entry.key, stored, delimiter)
        if (group !== undefined && (groups.has(group) || keyMarker.startsWith(group))) continue
        if (entries.length + groups.size >= limit) {
          isTruncated = true
          break
        }
        if (group === undefined) entries.push(uploadElement(entry, owner, writeListed))
        else groups.add(group)
        last = group === undefined ? entry : { key: group, id: "" }
      }
      return S3Response.xml("ListMultipartUploadsResult", [
        ["Bucket", call.bucket],
        ["KeyMarker", write(keyMarker)],
        ["UploadIdMarker", idMarker],
        ["NextKeyMarker", isTruncated && last !== undefined ? writeListed(last.key) : undefined],
        ["NextUploadIdMarker", isTruncated && last !== undefined ? last.id : undefined],
        ["Prefix", write(prefix)],
        ["Delimiter", delimiter === "" ? undefined : write(delimiter)],
        ["EncodingType", isEncoded ? "url" : undefined],
        ["MaxUploads", limit],
        ["IsTruncated", isTruncated],
        ...entries,
        ...[...groups].map((group): Xml.Element => ["CommonPrefixes", [["Prefix", writeListed(group)]]])
      ])
    })
  })
}
