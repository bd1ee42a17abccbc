/**
 * Contents over HTTP. Their bytes are never held whole: the handlers are raw.
 */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import * as Created from "./Created.ts"
import * as Reading from "./Reading.ts"
import * as Refs from "./Refs.ts"
import * as Writing from "./Writing.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "contents",
  Effect.fnUntraced(function* (handlers) {
    const read = yield* Reading.make
    const { reupload } = yield* Writing.make
    return handlers
      .handleRaw("upload", ({ params, request }) =>
        Effect.flatMap(reupload(request, Refs.file({ ...params, fileId: "" })), (file) => Created.at(file, ...Refs.segments(params), file.id))
      )
      .handleRaw("reupload", ({ params, request }) => reupload(request, Refs.file(params)))
      .handleRaw("view", ({ params, request }) => read(request, Refs.file(params), "inline"))
      .handleRaw("download", ({ params, request }) => read(request, Refs.file(params), "attachment"))
  })
)
