/**
 * The API group `members`.
 */
import { Members } from "@holdfast/core/members/Members"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "members",
  Effect.fnUntraced(function* (handlers) {
    const members = yield* Members
    return handlers.handleAll({
      add: ({ params: { tenantId }, payload }) =>
        Effect.flatMap(
          asActor((actor) => members.add(actor, tenantId, payload)),
          (member) => CreatedResponse.withLocation(member, "tenants", tenantId, "members", member.id)
        ),
      list: ({ params, query }) => asActor((actor) => members.list(actor, params.tenantId, query)),
      get: ({ params }) => asActor((actor) => members.get(actor, params.tenantId, params.memberId)),
      update: ({ params, payload, query }) =>
        asActor((actor) => members.update(actor, params.tenantId, params.memberId, { ...payload, ...query })),
      remove: ({ params, query }) => asActor((actor) => members.remove(actor, params.tenantId, params.memberId, query))
    })
  })
)
