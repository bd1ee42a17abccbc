/**
 * The API group `contents`: uploads of new files and of new contents for existing files.
 *
 * The handlers read the request bodies themselves and stream them into the store: no content is ever held in memory as a
 * whole.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { InvalidRequest } from "@holdfast/core/Errors"
import type { FileRef } from "@holdfast/core/files/FileRef"
import * as NewFile from "@holdfast/core/files/NewFile"
import { Uploads, type UploadOptions } from "@holdfast/core/files/Uploads"
import { Settings } from "@holdfast/core/Settings"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Predicate from "effect/Predicate"
import { Api } from "../contract/Api.ts"
import * as Digests from "../transfer/request/Digests.ts"
import { MinimumRate } from "../transfer/MinimumRate.ts"
import * as EntityTags from "../transfer/request/EntityTags.ts"
import * as MultipartUpload from "../transfer/upload/MultipartUpload.ts"
import * as RequestBody from "../transfer/upload/RequestBody.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"
import * as FileRefs from "./support/FileRefs.ts"

/** How long an upload waits for the client's next byte before it fails. */
export const IdleTimeout = Context.Reference<Duration.Duration>("@holdfast/http/handlers/IdleTimeout", {
  defaultValue: () => Duration.minutes(1)
})

/** The digest that the request's headers declare for the content, and the conditions for storing it. */
const optionsFromHeaders = ({ headers }: HttpServerRequest): Effect.Effect<UploadOptions, InvalidRequest> =>
  Effect.all({ sha256: Digests.declaredSha256(headers), condition: EntityTags.precondition(headers) })

/**
 * The file description from the form's part `body`. If it has no name, it gets the file name of the part `file`. The parser of
 * forms replaces bytes that are not UTF-8 by U+FFFD; such a name is refused, because the client did not send it.
 */
const withDefaultName = (
  description: unknown,
  filename: string | undefined
): Effect.Effect<unknown, InvalidRequest> => {
  const isNamed = description !== undefined && !(Predicate.isObject(description) && !("name" in description))
  if (filename === undefined || isNamed) return Effect.succeed(description)
  return filename.includes("\ufffd")
    ? Effect.fail(InvalidRequest.at("/name", "must be UTF-8 in the file name of the part file"))
    : Effect.succeed({ ...description, name: filename })
}

export const layer = HttpApiBuilder.group(
  Api,
  "contents",
  Effect.fnUntraced(function* (handlers) {
    const uploads = yield* Uploads
    const { maxUploadBytes } = yield* Settings
    const limits = { limit: maxUploadBytes, idleTimeout: yield* IdleTimeout, minimumRate: yield* MinimumRate }

    const upload = (request: HttpServerRequest, bucket: BucketRef) =>
      asActor((actor) =>
        Effect.gen(function* () {
          const options = yield* optionsFromHeaders(request)
          const { body, file, isBodyKnown } = yield* MultipartUpload.parse(request, limits)
          const description = Effect.flatMap(body, (value) => withDefaultName(value, file.filename))
          // A description that precedes the file is validated before the file's bytes are read.
          const known = isBodyKnown ? yield* Effect.flatMap(description, NewFile.decode) : undefined
          const sha256OfPart = yield* Digests.declaredSha256(file.headers)
          return yield* uploads.upload(actor, bucket, file.stream, description, {
            ...options,
            sha256: sha256OfPart ?? options.sha256,
            contentType: file.contentType,
            name: known?.name
          })
        }).pipe(Effect.scoped)
      )

    const reupload = (request: HttpServerRequest, file: FileRef) =>
      asActor((actor) =>
        Effect.gen(function* () {
          const options = yield* optionsFromHeaders(request)
          const content = yield* RequestBody.open(request, limits)
          return yield* uploads.reupload(actor, file, content, {
            ...options,
            length: RequestBody.declaredLength(request),
            contentType: request.headers["content-type"]
          })
        })
      )

    return handlers
      .handleRaw("upload", ({ params, request }) =>
        Effect.flatMap(upload(request, params), (file) =>
          CreatedResponse.withLocation(file, ...FileRefs.filesPath(params), file.id)
        )
      )
      .handleRaw("reupload", ({ params, request }) => reupload(request, FileRefs.fromParams(params)))
  })
)
