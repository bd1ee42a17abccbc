/**
 * The buckets of a tenant.
 */
import * as Bucket from "@holdfast/core/buckets/Bucket"
import * as Page from "@holdfast/core/Page"
import { BucketUsage } from "@holdfast/core/usage/UsageReport"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { ConfinedToScope, created, describe, force, page, problems } from "./Operation.ts"

const tenant = { tenantId: Schema.String }
const params = { ...tenant, bucketId: Schema.String }

const create = HttpApiEndpoint.post("create", "/", {
  params: tenant,
  disableCodecs: true,
  payload: Bucket.CreateBucket,
  success: created(Bucket.Bucket),
  error: problems("invalid_request", "quota_exceeded", "not_found", "bucket_exists")
}).annotateMerge(describe({ summary: "Create a bucket", permission: "bucket:write" }))

const update = HttpApiEndpoint.patch("update", "/:bucketId", {
  params,
  disableCodecs: true,
  payload: Bucket.UpdateBucket,
  success: Bucket.Bucket,
  error: problems("invalid_request", "not_found", "bucket_exists")
}).annotateMerge(describe({ summary: "Change a bucket", permission: "bucket:write" }))

const list = HttpApiEndpoint.get("list", "/", {
  params: tenant,
  query: page,
  success: Page.of(Bucket.Bucket),
  error: problems("invalid_request", "invalid_cursor")
})
  .annotateMerge(
    describe({
      summary: "List the buckets",
      description: "A token whose scope names buckets gets only these.",
      permission: "bucket:read"
    })
  )
  .annotate(ConfinedToScope, true)

const get = HttpApiEndpoint.get("get", "/:bucketId", {
  params,
  success: Bucket.Bucket,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get a bucket", permission: "bucket:read" }))

const usage = HttpApiEndpoint.get("usage", "/:bucketId/usage", {
  params,
  success: BucketUsage,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get the usage and the limits of a bucket", permission: "bucket:read" }))

const remove = HttpApiEndpoint.delete("remove", "/:bucketId", {
  params,
  query: force,
  success: HttpApiSchema.NoContent,
  error: problems("invalid_request", "not_found", "bucket_not_empty")
}).annotateMerge(describe({ summary: "Remove a bucket", permission: "bucket:write" }))

export class BucketsApi extends HttpApiGroup.make("buckets")
  .add(create, update)
  .middleware(JsonRequest)
  .add(list, get, usage)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets")
  .annotate(OpenApi.Description, "Buckets: named collections of files in a tenant.") {}
