/**
 * The members of a tenant.
 */
import { CreatedChoice } from "@holdfast/core/members/CreatedResources"
import * as Member from "@holdfast/core/members/Member"
import * as Page from "@holdfast/core/Page"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { created, describe, page, problems } from "./Operation.ts"

const tenant = { tenantId: Schema.String }
const params = { ...tenant, memberId: Schema.String }
const permission = "member:manage"

const whatCreated = {
  created: Schema.optional(CreatedChoice).annotate({
    description:
      "What becomes of the tokens and mirrors that the member created, or that were created with such a token: `end` revokes " +
      "and removes them, `transfer` makes the caller their creator. By default the request fails when there are any."
  })
}

const add = HttpApiEndpoint.post("add", "/", {
  params: tenant,
  disableCodecs: true,
  payload: Member.AddMember,
  success: created(Member.Member),
  error: problems("invalid_request", "quota_exceeded", "not_found", "member_exists")
}).annotateMerge(
  describe({
    summary: "Add a member",
    description:
      "Invites the account with this e-mail address: the member is `INVITED`, and its account has no permission until it accepts. " +
      "The response is the same whether there is an account or not; it appears when its holder uses it. API tokens of the member " +
      "work at once. Give the role by its id or its name.",
    permission
  })
)

const update = HttpApiEndpoint.patch("update", "/:memberId", {
  params,
  query: whatCreated,
  disableCodecs: true,
  payload: Member.UpdateMember,
  success: Member.Member,
  error: problems("invalid_request", "not_found", "last_admin", "created_resources_remain")
}).annotateMerge(
  describe({
    summary: "Change the role of a member",
    description:
      "A member whose new role may not create tokens and mirrors must not leave any behind that it created: the request then " +
      "needs `created`.",
    permission
  })
)

const list = HttpApiEndpoint.get("list", "/", {
  params: tenant,
  query: page,
  success: Page.of(Member.Member),
  error: problems("invalid_request", "invalid_cursor")
}).annotateMerge(describe({ summary: "List the members", permission }))

const get = HttpApiEndpoint.get("get", "/:memberId", {
  params,
  success: Member.Member,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get a member", permission }))

const remove = HttpApiEndpoint.delete("remove", "/:memberId", {
  params,
  query: whatCreated,
  success: HttpApiSchema.NoContent,
  error: problems("invalid_request", "not_found", "last_admin", "created_resources_remain")
}).annotateMerge(
  describe({
    summary: "Remove a member and its tokens",
    description:
      "A member who created tokens of other members, or mirrors, knows their keys: the request then needs `created`. The " +
      "problem `created_resources_remain` counts and lists them.",
    permission
  })
)

export class MembersApi extends HttpApiGroup.make("members")
  .add(add, update)
  .middleware(JsonRequest)
  .add(list, get)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/members")
  .annotate(OpenApi.Description, "Members: accounts in a tenant, each with exactly one role.") {}
