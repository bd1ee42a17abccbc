/**
 * The API group `identity`: the identity and rights of the request's key, and the list of roles.
 */
import { Access } from "@holdfast/core/access/Access"
import * as Me from "@holdfast/core/access/Me"
import * as Role from "@holdfast/core/Role"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "identity",
  Effect.fnUntraced(function* (handlers) {
    const access = yield* Access
    const roles = Effect.succeed({ items: Role.all })
    return handlers.handleAll({
      me: () => asActor((actor) => Effect.provideService(Me.get(actor), Access, access)),
      roles: () => roles,
      tenantRoles: () => roles
    })
  })
)
