/**
 * The shares of a bucket.
 */
import * as Page from "@holdfast/core/Page"
import * as Share from "@holdfast/core/files/shares/Share"
import * as UnknownFields from "@holdfast/core/inputs/UnknownFields"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "../Authentication.ts"
import { JsonResponse, JsonRequest } from "../JsonMiddleware.ts"
import { created, describe, page, problems } from "../Operation.ts"

const bucket = { tenantId: Schema.String, bucketId: Schema.String }
const params = { ...bucket, shareId: Schema.String }
const permission = "share:write"

const create = HttpApiEndpoint.post("create", "/", {
  params: bucket,
  disableCodecs: true,
  payload: UnknownFields.refuse(Share.CreateShare),
  success: created(Share.CreatedShare),
  error: problems("invalid_request", "quota_exceeded", "not_found")
}).annotateMerge(
  describe({
    summary: "Share a file, a folder or the bucket",
    description:
      "A client with the `token` may do what the share permits, while the creator may do it: view, download, play, list or upload. Only " +
      "this response contains the `token`. The creator needs the permission that the share gives: `file:read`, or `file:write` for `upload`.",
    permission
  })
)

const update = HttpApiEndpoint.patch("update", "/:shareId", {
  params,
  disableCodecs: true,
  payload: UnknownFields.refuse(Share.UpdateShare),
  success: Share.Share,
  error: problems("invalid_request", "quota_exceeded", "not_found")
}).annotateMerge(
  describe({
    summary: "Change a share, or take it over",
    description:
      "Only Admins take over the share of another member. A new password ends the sessions of the share's page.",
    permission
  })
)

const list = HttpApiEndpoint.get("list", "/", {
  params: bucket,
  query: page,
  success: Page.of(Share.Share),
  error: problems("invalid_request", "invalid_cursor", "not_found")
}).annotateMerge(describe({ summary: "List the shares, expired ones included", permission }))

const get = HttpApiEndpoint.get("get", "/:shareId", {
  params,
  success: Share.Share,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get a share", permission }))

const remove = HttpApiEndpoint.delete("remove", "/:shareId", {
  params,
  success: HttpApiSchema.NoContent,
  error: problems("not_found")
}).annotateMerge(
  describe({
    summary: "Revoke a share",
    description: "Within a second no node accepts its token, nor a link or player that was opened with it.",
    permission
  })
)

export class SharesApi extends HttpApiGroup.make("shares")
  .add(create, update)
  .middleware(JsonRequest)
  .add(list, get)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/shares")
  .annotate(OpenApi.Description, "Shares: stored, revocable links to files and folders, without an API key.") {}
