/**
 * Tenants.
 */
import * as Page from "@holdfast/core/Page"
import * as Tenant from "@holdfast/core/tenants/Tenant"
import { TenantUsage } from "@holdfast/core/usage/UsageReport"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { created, describe, ForAccounts, force, page, problems } from "./Operation.ts"

const params = { tenantId: Schema.String }

const create = HttpApiEndpoint.post("create", "/tenants", {
  disableCodecs: true,
  payload: Tenant.CreateTenant,
  success: created(Tenant.CreatedTenant),
  error: problems("invalid_request", "subdomain_taken")
})
  .annotateMerge(
    describe({
      summary: "Create a tenant",
      description:
        "The account becomes Admin of the tenant. API tokens can create tenants only if the deployment allows it."
    })
  )
  .annotate(ForAccounts, true)

const update = HttpApiEndpoint.patch("update", "/tenants/:tenantId", {
  params,
  disableCodecs: true,
  payload: Tenant.UpdateTenant,
  success: Tenant.Tenant,
  error: problems("invalid_request", "not_found", "subdomain_taken")
}).annotateMerge(describe({ summary: "Change a tenant", permission: "tenant:manage" }))

const list = HttpApiEndpoint.get("list", "/tenants", {
  query: page,
  success: Page.of(Tenant.Tenant),
  error: problems("invalid_request", "invalid_cursor")
}).annotateMerge(describe({ summary: "List the tenants in which the account is a member" }))

const get = HttpApiEndpoint.get("get", "/tenants/:tenantId", {
  params,
  success: Tenant.Tenant,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get a tenant", permission: "tenant:read" }))

const usage = HttpApiEndpoint.get("usage", "/tenants/:tenantId/usage", {
  params,
  success: TenantUsage,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get the usage and the limits of a tenant", permission: "tenant:manage" }))

const remove = HttpApiEndpoint.delete("remove", "/tenants/:tenantId", {
  params,
  query: force,
  success: HttpApiSchema.NoContent,
  error: problems("invalid_request", "not_found", "tenant_not_empty")
}).annotateMerge(describe({ summary: "Remove a tenant", permission: "tenant:manage" }))

export class TenantsApi extends HttpApiGroup.make("tenants")
  .add(create, update)
  .middleware(JsonRequest)
  .add(list, get, usage)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Tenants: isolated workspaces, each with its own members, buckets and files.") {}
