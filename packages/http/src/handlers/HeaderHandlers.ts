/**
 * Files' headers over HTTP.
 */
import { Headers } from "@holdfast/core/headers/Headers"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./AsActor.ts"
import * as Created from "./Created.ts"
import * as Refs from "./Refs.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "headers",
  Effect.fnUntraced(function* (handlers) {
    const headers = yield* Headers
    return handlers.handleAll({
      set: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => headers.set(actor, Refs.file(params), payload)),
          (header) => Created.at(header, ...Refs.segments(params), params.fileId, "headers", header.name)
        ),
      setAll: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => headers.setAll(actor, Refs.file(params), payload)),
          (items) => Created.at({ items }, ...Refs.segments(params), params.fileId, "headers")
        ),
      list: ({ params }) =>
        Effect.map(
          asActor((actor) => headers.list(actor, Refs.file(params))),
          (items) => ({ items, nextCursor: null })
        ),
      remove: ({ params }) => asActor((actor) => headers.remove(actor, Refs.file(params), params.name))
    })
  })
)
