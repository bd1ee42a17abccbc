/**
 * Uploading contents over HTTP.
 */
import type { InvalidRequest } from "@holdfast/core/Errors"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { FileRef } from "@holdfast/core/files/FileRef"
import * as NewFile from "@holdfast/core/files/NewFile"
import { Uploads, type UploadOptions } from "@holdfast/core/files/Uploads"
import { Settings } from "@holdfast/core/Settings"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import * as Digests from "../transfer/Digests.ts"
import * as EntityTags from "../transfer/EntityTags.ts"
import * as MultipartUpload from "../transfer/MultipartUpload.ts"
import * as RequestBody from "../transfer/RequestBody.ts"
import { asActor } from "./AsActor.ts"

type Request = HttpServerRequest.HttpServerRequest

/** How long an upload waits for the next byte before it is given up. */
export const IdleTimeout = Context.Reference<Duration.Duration>("@holdfast/http/handlers/IdleTimeout", {
  defaultValue: () => Duration.minutes(1)
})

/** What the headers announce of the content, and ask of the one that stands. */
const announced = ({ headers }: Request): Effect.Effect<UploadOptions, InvalidRequest> =>
  Effect.all({ sha256: Digests.sha256(headers), condition: EntityTags.precondition(headers) })

/** The description in a form's `body`; the name of the file's part serves where it has none. */
const named = (description: unknown, name: string | undefined): unknown => {
  if (name === undefined) return description
  if (description === undefined) return { name }
  return Predicate.isObject(description) && !("name" in description) ? { ...description, name } : description
}

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const { maxUploadBytes } = yield* Settings
  const limits = { limit: maxUploadBytes, idleTimeout: yield* IdleTimeout }

  const upload = (request: Request, bucket: BucketRef) =>
    asActor((actor) =>
      Effect.gen(function* () {
        const options = yield* announced(request)
        const { body, file, isBodyKnown } = yield* MultipartUpload.parse(request, limits)
        const description = Effect.map(body, (value) => named(value, file.filename))
        // A description that came first is found wanting before the bytes come.
        if (isBodyKnown) yield* Effect.flatMap(description, NewFile.decode)
        const ofPart = yield* Digests.sha256(file.headers)
        return yield* uploads.upload(actor, bucket, file.stream, description, {
          ...options,
          sha256: ofPart ?? options.sha256,
          contentType: file.contentType
        })
      }).pipe(Effect.scoped)
    )

  const reupload = (request: Request, file: FileRef) =>
    asActor((actor) =>
      Effect.gen(function* () {
        const options = yield* announced(request)
        const content = yield* RequestBody.open(request, limits)
        return yield* uploads.reupload(actor, file, content, {
          ...options,
          length: RequestBody.declaredLength(request),
          contentType: request.headers["content-type"]
        })
      })
    )

  return { upload, reupload }
})
