/**
 * `client.mirrors`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { MirrorOperations } from "@holdfast/core/promises/resources/MirrorsApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const mirrors = "/tenants/:tenantId/buckets/:bucketId/mirrors"
const mirror = `${mirrors}/:mirrorId`

export interface MirrorsClient extends Methods<MirrorOperations<string>, []> {}

export const make = (transport: Transport): MirrorsClient =>
  Routes.bind<MirrorOperations<string>>(
    transport,
    {
      create: { method: "POST", path: mirrors, hasBody: true },
      list: { method: "GET", path: mirrors, query: ["limit", "cursor"] },
      get: { method: "GET", path: mirror },
      update: { method: "PATCH", path: mirror, hasBody: true },
      remove: { method: "DELETE", path: mirror },
      sync: { method: "POST", path: `${mirror}/sync` },
      files: { method: "GET", path: `${mirror}/files`, query: ["state", "limit", "cursor"] }
    },
    { list: true, files: true }
  )
