/**
 * The API group `mirrors`.
 */
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "mirrors",
  Effect.fnUntraced(function* (handlers) {
    const mirrors = yield* Mirrors
    return handlers.handleAll({
      create: ({ params, payload, query }) =>
        Effect.flatMap(
          asActor((actor) => mirrors.create(actor, params, { ...payload, ...query })),
          (mirror) =>
            CreatedResponse.withLocation(
              mirror,
              "tenants",
              params.tenantId,
              "buckets",
              params.bucketId,
              "mirrors",
              mirror.id
            )
        ),
      list: ({ params, query }) => asActor((actor) => mirrors.list(actor, params, query)),
      get: ({ params }) => asActor((actor) => mirrors.get(actor, params)),
      update: ({ params, payload, query }) =>
        asActor((actor) => mirrors.update(actor, params, { ...payload, ...query })),
      remove: ({ params }) => asActor((actor) => mirrors.remove(actor, params)),
      sync: ({ params }) => asActor((actor) => mirrors.sync(actor, params)),
      files: ({ params, query }) => asActor((actor) => mirrors.files(actor, params, query))
    })
  })
)
