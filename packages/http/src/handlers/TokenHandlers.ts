/**
 * The API group `tokens`: API tokens of a tenant.
 */
import { S3Credentials } from "@holdfast/core/tokens/S3Credentials"
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
    const credentials = yield* S3Credentials
    return handlers.handleAll({
      create: ({ params: { tenantId }, payload }) =>
        Effect.flatMap(
          asActor((actor) => tokens.create(actor, tenantId, payload)),
          (token) => CreatedResponse.withLocation(token, "tenants", tenantId, "tokens", token.id)
        ),
      list: ({ params, query }) => asActor((actor) => tokens.list(actor, params.tenantId, query)),
      get: ({ params }) => asActor((actor) => tokens.get(actor, params.tenantId, params.tokenId)),
      revoke: ({ params }) => asActor((actor) => tokens.revoke(actor, params.tenantId, params.tokenId)),
      createS3Credentials: ({ params: { tenantId, tokenId } }) =>
        Effect.flatMap(
          asActor((actor) => credentials.create(actor, tenantId, tokenId)),
          (created) => CreatedResponse.withLocation(created, "tenants", tenantId, "tokens", tokenId, "s3-credentials")
        ),
      getS3Credentials: ({ params }) => asActor((actor) => credentials.get(actor, params.tenantId, params.tokenId)),
      revokeS3Credentials: ({ params }) =>
        asActor((actor) => credentials.revoke(actor, params.tenantId, params.tokenId))
    })
  })
)
