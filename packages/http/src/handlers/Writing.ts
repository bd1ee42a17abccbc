/**
 * Uploading contents over HTTP.
 */
import type { FileRef } from "@holdfast/core/files/FileRef"
import { Uploads, type UploadOptions } from "@holdfast/core/files/Uploads"
import type { InvalidRequest } from "@holdfast/core/Errors"
import { Settings } from "@holdfast/core/Settings"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Digests from "../transfer/Digests.ts"
import * as EntityTags from "../transfer/EntityTags.ts"
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

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const { maxUploadBytes } = yield* Settings
  const idleTimeout = yield* IdleTimeout

  const reupload = (request: Request, file: FileRef) =>
    asActor((actor) =>
      Effect.gen(function* () {
        const options = yield* announced(request)
        const content = yield* RequestBody.open(request, { limit: maxUploadBytes, idleTimeout })
        return yield* uploads.reupload(actor, file, content, {
          ...options,
          length: RequestBody.declaredLength(request),
          contentType: request.headers["content-type"]
        })
      })
    )

  return { reupload }
})
