/**
 * The API group `tenants`.
 */
import { Tenants } from "@holdfast/core/tenants/Tenants"
import { Quotas } from "@holdfast/core/usage/Quotas"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "tenants",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* Tenants
    const quotas = yield* Quotas
    return handlers.handleAll({
      create: ({ payload }) =>
        Effect.flatMap(
          asActor((actor) => tenants.create(actor, payload)),
          (tenant) => CreatedResponse.withLocation(tenant, "tenants", tenant.id)
        ),
      list: ({ query }) => asActor((actor) => tenants.list(actor, query)),
      get: ({ params }) => asActor((actor) => tenants.get(actor, params.tenantId)),
      usage: ({ params }) => asActor((actor) => quotas.ofTenant(actor, params.tenantId)),
      update: ({ params, payload }) => asActor((actor) => tenants.update(actor, params.tenantId, payload)),
      remove: ({ params, query }) => asActor((actor) => tenants.remove(actor, params.tenantId, query))
    })
  })
)
