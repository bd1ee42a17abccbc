/**
 * Uploads over HTTP. Bytes are never held whole: the handlers read the requests themselves.
 */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import * as Created from "./Created.ts"
import * as Refs from "./Refs.ts"
import * as Writing from "./Writing.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "contents",
  Effect.fnUntraced(function* (handlers) {
    const { reupload, upload } = yield* Writing.make
    return handlers
      .handleRaw("upload", ({ params, request }) =>
        Effect.flatMap(upload(request, params), (file) => Created.at(file, ...Refs.segments(params), file.id))
      )
      .handleRaw("reupload", ({ params, request }) => reupload(request, Refs.file(params)))
  })
)
