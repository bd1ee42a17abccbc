/**
 * The members of a tenant.
 */
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

const add = HttpApiEndpoint.post("add", "/", {
  params: tenant,
  disableCodecs: true,
  payload: Member.AddMember,
  success: created(Member.Member),
  error: problems("invalid_request", "not_found", "member_exists")
}).annotateMerge(
  describe({
    summary: "Add a member",
    description: "If no account has the e-mail address, one is created. Give the role by its id or its name.",
    permission
  })
)

const update = HttpApiEndpoint.patch("update", "/:memberId", {
  params,
  disableCodecs: true,
  payload: Member.UpdateMember,
  success: Member.Member,
  error: problems("invalid_request", "not_found", "last_admin")
}).annotateMerge(describe({ summary: "Change the role of a member", permission }))

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
  success: HttpApiSchema.NoContent,
  error: problems("not_found", "last_admin")
}).annotateMerge(describe({ summary: "Remove a member and its tokens", permission }))

export class MembersApi extends HttpApiGroup.make("members")
  .add(add, update)
  .middleware(JsonRequest)
  .add(list, get)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/members")
  .annotate(OpenApi.Description, "Members: accounts in a tenant, each with exactly one role.") {}
