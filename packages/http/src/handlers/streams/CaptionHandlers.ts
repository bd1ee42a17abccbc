/**
 * The API group `captions`: captions that are attached to the contents of files.
 */
import { Captions } from "@holdfast/core/captions/Captions"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../contract/Api.ts"
import { asActor } from "../support/AsActor.ts"
import * as CreatedResponse from "../support/CreatedResponse.ts"
import * as FileRefs from "../support/FileRefs.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "captions",
  Effect.fnUntraced(function* (handlers) {
    const captions = yield* Captions
    return handlers.handleAll({
      attach: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => captions.attach(actor, FileRefs.fromParams(params), payload)),
          (attached) =>
            CreatedResponse.withLocation(
              attached,
              ...FileRefs.filesPath(params),
              params.fileId,
              "streams",
              "captions",
              attached.id
            )
        ),
      list: ({ params }) =>
        Effect.map(
          asActor((actor) => captions.list(actor, FileRefs.fromParams(params))),
          (items) => ({ items })
        ),
      remove: ({ params }) => asActor((actor) => captions.remove(actor, FileRefs.fromParams(params), params.captionsId))
    })
  })
)
