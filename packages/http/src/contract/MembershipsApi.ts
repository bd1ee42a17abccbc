/**
 * The memberships of the key's own account.
 */
import * as Invitation from "@holdfast/core/members/Invitation"
import * as Member from "@holdfast/core/members/Member"
import * as Page from "@holdfast/core/Page"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse } from "./JsonMiddleware.ts"
import { describe, page, problems } from "./Operation.ts"

const params = { tenantId: Schema.String }
const forAccounts = "For account keys. An API token gets `403`: it belongs to one tenant."

const invitations = HttpApiEndpoint.get("invitations", "/invitations", {
  query: page,
  success: Page.of(Invitation.Invitation),
  error: problems("invalid_request", "invalid_cursor")
}).annotateMerge(describe({ summary: "List the invitations of the account", description: forAccounts }))

const accept = HttpApiEndpoint.post("accept", "/memberships/:tenantId/accept", {
  params,
  success: Member.Member,
  error: problems("not_found", "member_exists")
}).annotateMerge(
  describe({
    summary: "Accept the invitation of a tenant",
    description: `The account has the permissions of its role from then on. ${forAccounts}`
  })
)

const leave = HttpApiEndpoint.delete("leave", "/memberships/:tenantId", {
  params,
  query: {
    created: Schema.optional(Schema.Literals(["end"])).annotate({
      description:
        "`end` revokes the tokens and removes the mirrors that the member created. By default the request fails when there are " +
        "any. To hand them over, let another Admin remove the member with `created=transfer`."
    })
  },
  success: HttpApiSchema.NoContent,
  error: problems("invalid_request", "not_found", "last_admin", "created_resources_remain")
}).annotateMerge(describe({ summary: "Leave a tenant, or decline its invitation", description: forAccounts }))

export class MembershipsApi extends HttpApiGroup.make("memberships")
  .add(invitations, accept)
  .middleware(JsonResponse)
  .add(leave)
  .middleware(Authentication)
  .prefix("/me")
  .annotate(OpenApi.Description, "The memberships of the key's account: invitations, and leaving tenants.") {}
