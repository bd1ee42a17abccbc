/**
 * Captions that are attached to the contents of files.
 */
import * as AttachedCaptions from "@holdfast/core/captions/AttachedCaptions"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "../Authentication.ts"
import { params } from "../FilesApi.ts"
import { JsonRequest, JsonResponse } from "../JsonMiddleware.ts"
import { created, describe, problems } from "../Operation.ts"

const attach = HttpApiEndpoint.post("attach", "/", {
  params,
  disableCodecs: true,
  payload: AttachedCaptions.AttachCaptions,
  success: created(AttachedCaptions.AttachedCaptions),
  error: problems("invalid_request", "not_found", "content_not_uploaded", "not_a_video", "quota_exceeded")
}).annotateMerge(
  describe({
    summary: "Attach captions to a video",
    description:
      "They join the streams of the content that are `READY`, and later ones, without another conversion. A new content has none. " +
      `A content may have ${AttachedCaptions.maxPerContent}.`,
    permission: "file:write"
  })
)

const list = HttpApiEndpoint.get("list", "/", {
  params,
  success: Schema.Struct({ items: Schema.Array(AttachedCaptions.AttachedCaptions) }),
  error: problems("not_found", "content_not_uploaded")
}).annotateMerge(describe({ summary: "List the captions that are attached to a video", permission: "file:read" }))

const remove = HttpApiEndpoint.delete("remove", "/:captionsId", {
  params: { ...params, captionsId: Schema.String },
  success: HttpApiSchema.NoContent,
  error: problems("not_found", "content_not_uploaded")
}).annotateMerge(describe({ summary: "Remove captions from a video", permission: "file:write" }))

export class CaptionsApi extends HttpApiGroup.make("captions")
  .add(attach)
  .middleware(JsonRequest)
  .add(list)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files/:fileId/streams/captions")
  .annotate(OpenApi.Description, "Captions in WebVTT or SubRip that are attached to videos.") {}
