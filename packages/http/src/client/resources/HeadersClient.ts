/**
 * `client.headers`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { HeaderOperations } from "@holdfast/core/promises/resources/HeadersApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const headers = "/tenants/:tenantId/buckets/:bucketId/files/:fileId/headers"

export interface HeadersClient extends Methods<HeaderOperations, []> {}

export const make = (transport: Transport): HeadersClient =>
  Routes.bind<HeaderOperations>(
    transport,
    {
      set: { method: "POST", path: headers, hasBody: true },
      setAll: { method: "POST", path: `${headers}/bulk`, hasBody: true },
      list: { method: "GET", path: headers },
      remove: { method: "DELETE", path: `${headers}/:name` }
    },
    { list: true }
  )
