/**
 * The API group `memberships`: the memberships of the key's own account.
 */
import { Memberships } from "@holdfast/core/members/Memberships"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "memberships",
  Effect.fnUntraced(function* (handlers) {
    const memberships = yield* Memberships
    return handlers.handleAll({
      invitations: ({ query }) => asActor((actor) => memberships.invitations(actor, query)),
      accept: ({ params }) => asActor((actor) => memberships.accept(actor, params.tenantId)),
      leave: ({ params, query }) => asActor((actor) => memberships.leave(actor, params.tenantId, query))
    })
  })
)
