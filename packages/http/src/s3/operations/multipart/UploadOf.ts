/**
 * Finds the multipart upload that a request names.
 */
import * as FileKey from "@holdfast/core/files/keys/FileKey"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import type { Upload } from "@holdfast/core/uploads/Upload"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import * as Effect from "effect/Effect"
import type { Call, CallError } from "../../Call.ts"
import { S3Error } from "../../S3Error.ts"
import * as BucketOf from "../BucketOf.ts"

export interface Found {
  readonly ref: UploadRef
  readonly upload: Upload
}

const missing = S3Error.of("NoSuchUpload")

/** Returns the key of the object that an upload makes. */
export const keyOf = ({ terms }: Upload): string =>
  `${(terms.description.path ?? "/").slice(1)}${terms.description.name}`

/** Makes the function that finds the upload of a call: of its bucket, of its key, and in numbered parts. */
export const make = Effect.gen(function* () {
  const findBucket = yield* BucketOf.make
  const uploads = yield* ResumableUploads
  return Effect.fnUntraced(function* (call: Call): Effect.fn.Return<Found, CallError> {
    const bucket = yield* findBucket(call)
    const ref = { ...bucket, uploadId: call.query.get("uploadId") ?? "" }
    const upload = yield* uploads.get(call.actor, ref)
    const { name, path } = yield* FileKey.toPlace(call.key)
    const isOfKey = keyOf(upload) === `${path.slice(1)}${name}`
    return upload.mode === "PARTS" && isOfKey ? { ref, upload } : yield* missing
  })
})
