/**
 * The API group `headers`: the headers that a file is served with.
 */
import { Headers } from "@holdfast/core/headers/Headers"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"
import * as FileRefs from "./support/FileRefs.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "headers",
  Effect.fnUntraced(function* (handlers) {
    const headers = yield* Headers
    return handlers.handleAll({
      set: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => headers.set(actor, FileRefs.fromParams(params), payload)),
          (header) =>
            CreatedResponse.withLocation(header, ...FileRefs.filesPath(params), params.fileId, "headers", header.name)
        ),
      setAll: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => headers.setAll(actor, FileRefs.fromParams(params), payload)),
          (items) => CreatedResponse.withLocation({ items }, ...FileRefs.filesPath(params), params.fileId, "headers")
        ),
      list: ({ params }) =>
        Effect.map(
          asActor((actor) => headers.list(actor, FileRefs.fromParams(params))),
          (items) => ({ items, nextCursor: null })
        ),
      remove: ({ params }) => asActor((actor) => headers.remove(actor, FileRefs.fromParams(params), params.name))
    })
  })
)
