/**
 * `client.shares`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { ShareOperations } from "@holdfast/core/promises/resources/SharesApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const shares = "/tenants/:tenantId/buckets/:bucketId/shares"
const share = `${shares}/:shareId`

export interface SharesClient extends Methods<ShareOperations<string>, []> {}

export const make = (transport: Transport): SharesClient =>
  Routes.bind<ShareOperations<string>>(
    transport,
    {
      create: { method: "POST", path: shares, hasBody: true },
      list: { method: "GET", path: shares, query: ["limit", "cursor"] },
      get: { method: "GET", path: share },
      update: { method: "PATCH", path: share, hasBody: true },
      remove: { method: "DELETE", path: share }
    },
    { list: true }
  )
