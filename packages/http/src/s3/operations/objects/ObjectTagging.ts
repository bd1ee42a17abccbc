/**
 * Reads, replaces and removes the tags of an object. They are a part of the file's metadata.
 */
import { Files } from "@holdfast/core/files/Files"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import * as Effect from "effect/Effect"
import type { Call } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as XmlReader from "../../xml/XmlReader.ts"
import * as BucketOf from "../BucketOf.ts"
import * as ObjectMetadata from "./ObjectMetadata.ts"

const query = { tagging: true } as const
const malformed = S3Error.of("MalformedXML")

export const getObjectTagging: Operation = {
  name: "GetObjectTagging",
  method: "GET",
  target: "object",
  query,
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const keys = yield* FilesByKey
    return Effect.fnUntraced(function* (call) {
      const { file } = yield* keys.open(call.actor, yield* findBucket(call), call.key)
      const tags = Object.entries(ObjectMetadata.tagsOf(file)).map(([key, value]): Xml.Element => [
        "Tag",
        [
          ["Key", key],
          ["Value", value]
        ]
      ])
      return S3Response.xml("Tagging", [["TagSet", tags]])
    })
  })
}

const makeSet = Effect.gen(function* () {
  const findBucket = yield* BucketOf.make
  const keys = yield* FilesByKey
  const files = yield* Files
  return Effect.fnUntraced(function* (call: Call, tags: ObjectMetadata.Tags) {
    const bucket = yield* findBucket(call)
    const { file } = yield* keys.open(call.actor, bucket, call.key)
    const metadata = ObjectMetadata.withTags(file.metadata, tags)
    yield* files.update(call.actor, { ...bucket, fileId: file.id }, { metadata })
  })
})

export const putObjectTagging: Operation = {
  name: "PutObjectTagging",
  method: "PUT",
  target: "object",
  query,
  make: Effect.map(makeSet, (set) =>
    Effect.fnUntraced(function* (call) {
      const root = yield* call.readXml
      const list = root.children.find(({ name }) => name === "TagSet")
      if (root.name !== "Tagging" || list === undefined) return yield* malformed
      const tags = yield* ObjectMetadata.checkTags(
        list.children.map((tag) => [XmlReader.textOf(tag, "Key") ?? "", XmlReader.textOf(tag, "Value") ?? ""] as const)
      )
      yield* set(call, tags)
      return S3Response.empty()
    })
  )
}

export const deleteObjectTagging: Operation = {
  name: "DeleteObjectTagging",
  method: "DELETE",
  target: "object",
  query,
  make: Effect.map(makeSet, (set) => (call) => Effect.as(set(call, {}), S3Response.empty({ status: 204 })))
}
