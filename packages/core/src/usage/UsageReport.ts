/**
 * What a tenant or a bucket has, beside its limits.
 */
import * as Schema from "effect/Schema"
import * as Quota from "../quotas/Quota.ts"
import { Usage } from "./Usage.ts"

export const TenantUsage = Schema.Struct({
  usage: Schema.Struct({ ...Usage.fields, ...Quota.Counts.fields }),
  limits: Quota.Limits
}).annotate({ identifier: "TenantUsage" })
export type TenantUsage = typeof TenantUsage.Type

export const BucketUsage = Schema.Struct({
  usage: Usage,
  limits: Schema.Struct({ bytes: Schema.NullOr(Schema.Int), files: Schema.NullOr(Schema.Int) })
}).annotate({ identifier: "BucketUsage" })
export type BucketUsage = typeof BucketUsage.Type
