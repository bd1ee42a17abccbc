/**
 * `client.tenants`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { TenantOperations } from "@holdfast/core/promises/resources/TenantsApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const tenants = "/tenants"
const tenant = `${tenants}/:tenantId`

export interface TenantsClient extends Methods<TenantOperations<string>, []> {}

export const make = (transport: Transport): TenantsClient =>
  Routes.bind<TenantOperations<string>>(
    transport,
    {
      create: { method: "POST", path: tenants, hasBody: true },
      list: { method: "GET", path: tenants, query: ["limit", "cursor"] },
      get: { method: "GET", path: tenant },
      usage: { method: "GET", path: `${tenant}/usage` },
      update: { method: "PATCH", path: tenant, hasBody: true },
      remove: { method: "DELETE", path: tenant, query: ["force"] }
    },
    { list: true }
  )
