/**
 * Reads, replaces and removes the tags of an object. They are a part of the file's metadata.
 */
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import * as Effect from "effect/Effect"
import type { Call } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import * as S3Response from "../../S3Response.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as BucketOf from "../BucketOf.ts"
import * as ObjectMetadata from "./ObjectMetadata.ts"
import * as TagSet from "./TagSet.ts"

const query = { tagging: true } as const

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
      const tags = Object.entries(ObjectMetadata.tagsOf(file))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, value]): Xml.Element => [
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
  return Effect.fnUntraced(function* (call: Call, tags: ObjectMetadata.Tags) {
    const bucket = yield* findBucket(call)
    yield* keys.updateMetadata(call.actor, bucket, call.key, (metadata) => ObjectMetadata.withTags(metadata, tags))
  })
})

export const putObjectTagging: Operation = {
  name: "PutObjectTagging",
  method: "PUT",
  target: "object",
  query,
  make: Effect.map(makeSet, (set) =>
    Effect.fnUntraced(function* (call) {
      yield* set(call, yield* TagSet.read(yield* call.readXml(TagSet.limits)))
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
