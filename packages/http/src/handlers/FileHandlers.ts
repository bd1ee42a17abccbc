/**
 * File records over HTTP.
 */
import { Files } from "@holdfast/core/files/Files"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import * as EntityTags from "../transfer/EntityTags.ts"
import { asActor } from "./AsActor.ts"
import * as Created from "./Created.ts"
import * as Refs from "./Refs.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "files",
  Effect.fnUntraced(function* (handlers) {
    const files = yield* Files
    return handlers.handleAll({
      reserve: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => files.reserve(actor, params, payload)),
          (file) => Created.at(file, ...Refs.segments(params), file.id)
        ),
      list: ({ params, query }) => asActor((actor) => files.list(actor, params, query)),
      get: ({ params, query }) => asActor((actor) => files.get(actor, Refs.file(params), query.expands)),
      update: ({ params, payload }) => asActor((actor) => files.update(actor, Refs.file(params), payload)),
      remove: ({ headers, params }) =>
        asActor((actor) =>
          Effect.flatMap(EntityTags.precondition(headers), (condition) =>
            files.remove(actor, Refs.file(params), condition)
          )
        )
    })
  })
)
