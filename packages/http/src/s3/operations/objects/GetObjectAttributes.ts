/**
 * Returns the attributes of an object that the request names, without its content.
 */
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as BucketOf from "../BucketOf.ts"
import * as EntityTag from "../EntityTag.ts"

const invalid = S3Error.of(
  "InvalidArgument",
  "The header x-amz-object-attributes must list some of ETag, Checksum, ObjectParts, StorageClass and ObjectSize."
)

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
      const { content } = yield* keys.open(call.actor, yield* findBucket(call), call.key)
      const etag = EntityTag.of(content.etag).replaceAll('"', "")
      const parts = etag.split("-")[1]
      const attributes: ReadonlyArray<Xml.Element> = [
        ["ETag", etag],
        ["ObjectParts", parts === undefined ? undefined : [["TotalPartsCount", parts]]],
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
