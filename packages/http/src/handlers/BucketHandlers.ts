/**
 * The API group `buckets`.
 */
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { Quotas } from "@holdfast/core/usage/Quotas"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "buckets",
  Effect.fnUntraced(function* (handlers) {
    const buckets = yield* Buckets
    const quotas = yield* Quotas
    return handlers.handleAll({
      create: ({ params: { tenantId }, payload }) =>
        Effect.flatMap(
          asActor((actor) => buckets.create(actor, tenantId, payload)),
          (bucket) => CreatedResponse.withLocation(bucket, "tenants", tenantId, "buckets", bucket.id)
        ),
      list: ({ params, query }) => asActor((actor) => buckets.list(actor, params.tenantId, query)),
      get: ({ params }) => asActor((actor) => buckets.get(actor, params)),
      usage: ({ params }) => asActor((actor) => quotas.ofBucket(actor, params)),
      update: ({ params, payload }) => asActor((actor) => buckets.update(actor, params, payload)),
      remove: ({ params, query }) => asActor((actor) => buckets.remove(actor, params, query))
    })
  })
)
