/**
 * The API group `shares`.
 */
import * as Shares from "@holdfast/core/files/shares/Shares"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../contract/Api.ts"
import { asActor } from "../support/AsActor.ts"
import * as CreatedResponse from "../support/CreatedResponse.ts"
import * as PublicAddress from "../support/PublicAddress.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "shares",
  Effect.fnUntraced(function* (handlers) {
    const shares = yield* Shares.Shares
    const baseUrl = yield* PublicAddress.makeBaseUrl
    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ params, payload }) {
        const created = yield* asActor((actor) => shares.create(actor, params, payload))
        const { share, token } = created
        const record = { ...share, token, url: `${yield* baseUrl}${Shares.pagePathOf(created)}` }
        const { bucketId, tenantId } = params
        return yield* CreatedResponse.withLocation(record, "tenants", tenantId, "buckets", bucketId, "shares", share.id)
      }),
      list: ({ params, query }) => asActor((actor) => shares.list(actor, params, query)),
      get: ({ params }) => asActor((actor) => shares.get(actor, params)),
      update: ({ params, payload }) => asActor((actor) => shares.update(actor, params, payload)),
      remove: ({ params }) => asActor((actor) => shares.remove(actor, params))
    })
  })
)
