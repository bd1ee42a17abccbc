/**
 * The identity and rights of the request's key, and the list of roles.
 */
import { Me } from "@holdfast/core/access/Me"
import { Role } from "@holdfast/core/Role"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse } from "./JsonMiddleware.ts"
import { describe } from "./Operation.ts"

const Roles = Schema.Struct({ items: Schema.Array(Role) })

const me = HttpApiEndpoint.get("me", "/me", { success: Me }).annotateMerge(
  describe({ summary: "Get the identity of the key" })
)

const roles = HttpApiEndpoint.get("roles", "/roles", { success: Roles }).annotateMerge(
  describe({ summary: "List the roles" })
)

const tenantRoles = HttpApiEndpoint.get("tenantRoles", "/tenants/:tenantId/roles", {
  params: { tenantId: Schema.String },
  success: Roles
}).annotateMerge(describe({ summary: "List the roles of a tenant", permission: "role:read" }))

export class IdentityApi extends HttpApiGroup.make("identity")
  .add(me, roles, tenantRoles)
  .middleware(JsonResponse)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "The identity and rights of the key, and the list of roles.") {}
