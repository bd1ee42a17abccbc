/**
 * Stores an object.
 */
import * as Effect from "effect/Effect"
import type { Operation } from "../../Operation.ts"
import * as S3Response from "../../S3Response.ts"
import * as BucketOf from "../BucketOf.ts"
import * as EntityTag from "../EntityTag.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"
import * as ObjectMetadata from "./ObjectMetadata.ts"
import * as StoreObject from "./StoreObject.ts"

export const putObject: Operation = {
  name: "PutObject",
  method: "PUT",
  target: "object",
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const store = yield* StoreObject.make
    return Effect.fnUntraced(function* (call) {
      const bucket = yield* findBucket(call)
      const description = yield* ObjectMetadata.fromRequest(call.headers)
      const payload = yield* call.openPayload
      const entityTag = () => EntityTag.ofMd5(payload.md5())
      const checksum = () => ObjectChecksum.ofBytes(payload.checksum())
      const { content, length } = payload
      const file = yield* store(call, {
        bucket,
        key: call.key,
        content,
        description,
        options: { entityTag, checksum: () => ObjectChecksum.write(checksum()), length }
      })
      return S3Response.empty({
        headers: { etag: EntityTag.of(file.etag ?? ""), ...ObjectChecksum.headers(checksum()) }
      })
    })
  })
}
