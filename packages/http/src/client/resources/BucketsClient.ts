/**
 * `client.buckets`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { BucketOperations } from "@holdfast/core/promises/resources/BucketsApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const buckets = "/tenants/:tenantId/buckets"
const bucket = `${buckets}/:bucketId`

export interface BucketsClient extends Methods<BucketOperations<string>, []> {}

export const make = (transport: Transport): BucketsClient =>
  Routes.bind<BucketOperations<string>>(
    transport,
    {
      create: { method: "POST", path: buckets, hasBody: true },
      list: { method: "GET", path: buckets, query: ["limit", "cursor"] },
      get: { method: "GET", path: bucket },
      usage: { method: "GET", path: `${bucket}/usage` },
      update: { method: "PATCH", path: bucket, hasBody: true },
      remove: { method: "DELETE", path: bucket, query: ["force"] }
    },
    { list: true }
  )
