/**
 * The API group `tokens`: API tokens of a tenant.
 */
import { Tokens } from "@holdfast/core/tokens/Tokens"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "tokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* Tokens
    return handlers.handleAll({
      create: ({ params: { tenantId }, payload }) =>
        Effect.flatMap(
          asActor((actor) => tokens.create(actor, tenantId, payload)),
          (token) => CreatedResponse.withLocation(token, "tenants", tenantId, "tokens", token.id)
        ),
      list: ({ params, query }) => asActor((actor) => tokens.list(actor, params.tenantId, query)),
      get: ({ params }) => asActor((actor) => tokens.get(actor, params.tenantId, params.tokenId)),
      revoke: ({ params }) => asActor((actor) => tokens.revoke(actor, params.tenantId, params.tokenId))
    })
  })
)
