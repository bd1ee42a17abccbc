/**
 * The API group `posters`: posters of videos that callers set.
 */
import { Posters } from "@holdfast/core/posters/Posters"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../contract/Api.ts"
import { asActor } from "../support/AsActor.ts"
import * as FileRefs from "../support/FileRefs.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "posters",
  Effect.fnUntraced(function* (handlers) {
    const posters = yield* Posters
    return handlers.handleAll({
      set: ({ params, payload }) => asActor((actor) => posters.set(actor, FileRefs.fromParams(params), payload)),
      reset: ({ params }) => asActor((actor) => posters.reset(actor, FileRefs.fromParams(params)))
    })
  })
)
