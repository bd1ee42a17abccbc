/**
 * Returns the attributes of an object that the request names, without its content.
 */
import type { Download } from "@holdfast/core/files/Downloads"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Call, CallError } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as BucketOf from "../BucketOf.ts"
import * as Count from "../Count.ts"
import * as EntityTag from "../EntityTag.ts"
import * as PartCount from "../multipart/PartCount.ts"
import * as PartTag from "../multipart/PartTag.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"

const invalid = S3Error.of(
  "InvalidArgument",
  "The header x-amz-object-attributes must list some of ETag, Checksum, ObjectParts, StorageClass and ObjectSize."
)

/** The parts that an answer lists. */
interface Page {
  readonly limit: number
  /** The number of the part after which it begins. */
  readonly after: number
}

/** The most parts of a page. */
const maxListed = 1000

const pageOf = ({ headers }: Call): Effect.Effect<Page, S3Error> => {
  const limit = Count.parse(headers["x-amz-max-parts"] ?? String(maxListed))
  const after = Count.parse(headers["x-amz-part-number-marker"] ?? "0")
  return limit !== undefined && after !== undefined
    ? Effect.succeed({ limit: Math.min(limit, maxListed), after })
    : Effect.fail(S3Error.of("InvalidArgument", `Each of x-amz-max-parts and x-amz-part-number-marker ${Count.fault}.`))
}

/** Returns the elements with the parts of an object; undefined for one that did not come in parts. */
const partElements = Effect.fnUntraced(function* (
  download: Download,
  { after, limit }: Page
): Effect.fn.Return<ReadonlyArray<Xml.Element> | undefined, CallError> {
  const count = PartCount.of(download)
  if (count === undefined) return undefined
  const {
    content: { size },
    parts
  } = download
  // A content that came in pieces by another API is one part.
  const all = parts === undefined || count === 1 ? Stream.succeed({ offset: 0, length: size, tag: null }) : parts
  const listed = yield* Stream.runCollect(Stream.take(Stream.drop(all, after), limit))
  const last = after + listed.length
  return [
    ["PartNumberMarker", after],
    ["NextPartNumberMarker", last],
    ["MaxParts", limit],
    // The count includes a last part without bytes, which the content does not keep.
    ["IsTruncated", listed.length === limit && last < count],
    ...listed.map(({ length, tag }, index): Xml.Element => [
      "Part",
      [PartTag.checksumElement(PartTag.read({ tag }).checksum), ["PartNumber", after + index + 1], ["Size", length]]
    ]),
    ["PartsCount", count]
  ]
})

export const getObjectAttributes: Operation = {
  name: "GetObjectAttributes",
  method: "GET",
  target: "object",
  query: { attributes: true },
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const keys = yield* FilesByKey
    return Effect.fnUntraced(function* (call) {
      const wanted = (call.headers["x-amz-object-attributes"] ?? "").split(",").map((name) => name.trim())
      if (wanted.some((name) => !["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"].includes(name))) {
        return yield* invalid
      }
      const page = yield* pageOf(call)
      const download = yield* keys.open(call.actor, yield* findBucket(call), call.key)
      const { content } = download
      const etag = EntityTag.of(content.etag)
      const attributes: ReadonlyArray<Xml.Element> = [
        ["ETag", etag.replaceAll('"', "")],
        ["Checksum", ObjectChecksum.elements(ObjectChecksum.find(content))],
        ["ObjectParts", wanted.includes("ObjectParts") ? yield* partElements(download, page) : undefined],
        ["StorageClass", "STANDARD"],
        ["ObjectSize", content.size]
      ]
      return S3Response.xml(
        "GetObjectAttributesResponse",
        attributes.filter(([name]) => wanted.includes(name)),
        { headers: { "last-modified": DateTime.toDateUtc(content.storedAt).toUTCString() } }
      )
    })
  })
}
