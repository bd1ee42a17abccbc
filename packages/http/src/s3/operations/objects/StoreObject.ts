/**
 * Stores a content as an object. The object that has the key gets the content, under the conditions of the request.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import * as FileKey from "@holdfast/core/files/keys/FileKey"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import type { File } from "@holdfast/core/files/File"
import { type UploadOptions, Uploads } from "@holdfast/core/files/Uploads"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Call, CallError } from "../../Call.ts"
import { S3Error } from "../../S3Error.ts"
import * as EntityTag from "../EntityTag.ts"
import type { Description } from "./ObjectMetadata.ts"

export interface NewObject<E> {
  readonly bucket: BucketRef
  readonly key: string
  readonly content: Stream.Stream<Uint8Array, E>
  readonly description: Description
  readonly options: UploadOptions
}

/** Makes the function that stores a content under the key of a call. */
export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const keys = yield* FilesByKey

  return Effect.fnUntraced(function* <E extends CallError>(
    call: Call,
    { bucket, content, description, key, options }: NewObject<E>
  ): Effect.fn.Return<File, CallError> {
    const { actor, headers } = call
    const wanted = {
      ifMatch: EntityTag.parse(headers["if-match"]),
      ifNoneMatch: EntityTag.parse(headers["if-none-match"])
    }
    const place = yield* FileKey.toPlace(key)
    let condition = wanted
    if (wanted.ifMatch !== undefined || Array.isArray(wanted.ifNoneMatch)) {
      const current = Option.getOrNull(yield* keys.find(actor, bucket, key))
      if (current === null && wanted.ifMatch !== undefined) return yield* S3Error.of("NoSuchKey")
      condition = { ...wanted, ...EntityTag.condition(wanted, current?.content ?? null) }
    }
    const { contentType, ...rest } = description
    return yield* uploads.upload(actor, bucket, content, Effect.succeed({ ...place, ...rest }), {
      onConflict: "replace",
      allowsMarker: true,
      path: place.path,
      condition,
      name: place.name,
      ...(contentType === undefined ? undefined : { contentType }),
      ...options
    })
  })
})
