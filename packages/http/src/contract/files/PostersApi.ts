/**
 * The posters of videos that callers set.
 */
import * as VideoPoster from "@holdfast/core/posters/VideoPoster"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { Authentication } from "../Authentication.ts"
import { params } from "../FilesApi.ts"
import { JsonRequest, JsonResponse } from "../JsonMiddleware.ts"
import { describe, problems } from "../Operation.ts"

const set = HttpApiEndpoint.post("set", "/", {
  params,
  disableCodecs: true,
  payload: VideoPoster.SetPoster,
  success: VideoPoster.VideoPoster,
  error: problems(
    "invalid_request",
    "not_found",
    "content_not_uploaded",
    "not_a_video",
    "quota_exceeded",
    "transcoder_unavailable"
  )
}).annotateMerge(
  describe({
    summary: "Set the poster of a video",
    description:
      "Either `time`, of which a worker makes a picture, or `image`, a JPEG. It replaces the poster that conversions make, in all streams of " +
      "the content. A new content has the poster of its own conversions again.",
    permission: "file:write"
  })
)

const reset = HttpApiEndpoint.delete("reset", "/", {
  params,
  success: HttpApiSchema.NoContent,
  error: problems("not_found", "content_not_uploaded")
}).annotateMerge(describe({ summary: "Remove the poster that was set", permission: "file:write" }))

export class PostersApi extends HttpApiGroup.make("posters")
  .add(set)
  .middleware(JsonRequest)
  .middleware(JsonResponse)
  .add(reset)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files/:fileId/streams/poster")
  .annotate(OpenApi.Description, "Posters of videos that replace those of conversions.") {}
