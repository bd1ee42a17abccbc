/**
 * The API group `events`.
 */
import { Events } from "@holdfast/core/events/Events"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* Events
    return handlers.handleAll({
      list: ({ params, query }) => asActor((actor) => events.list(actor, params.tenantId, query)),
      export: ({ params, query }) => asActor((actor) => events.export(actor, params.tenantId, query))
    })
  })
)
