/**
 * Uploads: storing the contents of files.
 */
import * as File from "@holdfast/core/files/File"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Multipart from "effect/http/Multipart"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { params } from "./FilesApi.ts"
import { JsonResponse } from "./JsonMiddleware.ts"
import { created, describe, problems, text } from "./Operation.ts"

const { fileId: _, ...bucket } = params

/** The digests that a client may declare for a content, and its conditions on the current content. */
const uploadHeaders = {
  "repr-digest": text("`sha-256=:<base64>:` (RFC 9530). A content with another digest is refused."),
  "content-digest": text("As `Repr-Digest`, for the body of the request."),
  "if-match": text("Store the content only if the current content has one of these entity tags."),
  "if-none-match": text(
    "Store the content only if the current content has none of these entity tags. `*`: only if there is no content."
  )
}

/** The part `body` of an upload. `name` is optional because the part `file` may have a file name. */
const Description = Schema.Struct({ ...File.CreateFile.fields, name: Schema.optional(File.CreateFile.fields.name) })

const upload = HttpApiEndpoint.post("upload", "/upload", {
  params: bucket,
  headers: uploadHeaders,
  payload: Schema.Struct({
    file: Multipart.SingleFileSchema,
    body: Schema.optional(Schema.fromJsonString(Description)).annotate({
      description:
        "JSON: the name of the file, its folder and its other properties. Without `name`, the file name of the part `file` is used."
    })
  }).pipe(HttpApiSchema.asMultipartStream()),
  success: created(File.File),
  error: problems(
    "invalid_request",
    "checksum_mismatch",
    "length_mismatch",
    "request_timeout",
    "quota_exceeded",
    "not_found",
    "file_exists",
    "alias_taken",
    "precondition_failed",
    "content_too_large",
    "unsupported_media_type"
  )
}).annotateMerge(
  describe({
    summary: "Upload a file",
    description: "The parts may be in either order. The service streams the bytes to the store as they arrive.",
    permission: "file:write"
  })
)

const reupload = HttpApiEndpoint.post("reupload", "/:fileId/reupload", {
  params,
  headers: uploadHeaders,
  payload: HttpApiSchema.StreamUint8Array(),
  success: File.File,
  error: problems(
    "invalid_request",
    "checksum_mismatch",
    "length_mismatch",
    "request_timeout",
    "quota_exceeded",
    "not_found",
    "precondition_failed",
    "content_too_large",
    "unsupported_media_type"
  )
}).annotateMerge(
  describe({
    summary: "Replace the content of a file",
    description:
      "The body is the content, of any media type. The file keeps its id, headers, alias and metadata. Each reader gets " +
      "either the old or the new content as a whole. This is also the second step after a reservation.",
    permission: "file:write"
  })
)

export class ContentsApi extends HttpApiGroup.make("contents")
  .add(upload, reupload)
  .middleware(JsonResponse)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files")
  .annotate(OpenApi.Description, "Uploads: storing the contents of files.") {}
