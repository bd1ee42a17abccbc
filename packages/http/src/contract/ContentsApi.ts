/**
 * Contents of files: writing bytes.
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

/** What a sender may announce of a content, and ask of the one that stands. */
const announced = {
  "repr-digest": text("`sha-256=:<base64>:` (RFC 9530). Other bytes are refused."),
  "content-digest": text("The same, of the request's content."),
  "if-match": text("Only if the content that stands has one of these entity tags."),
  "if-none-match": text("Only if it has none of these; `*`: only if there is none.")
}

/** `body` of an upload: a name is needed only where the file's part has none. */
const Description = Schema.Struct({ ...File.CreateFile.fields, name: Schema.optional(File.CreateFile.fields.name) })

const upload = HttpApiEndpoint.post("upload", "/upload", {
  params: bucket,
  headers: announced,
  payload: Schema.Struct({
    file: Multipart.SingleFileSchema,
    body: Schema.optional(Schema.fromJsonString(Description)).annotate({
      description: "JSON: what the file is called and where it lies. Without a name, the part's file name serves."
    })
  }).pipe(HttpApiSchema.asMultipartStream()),
  success: created(File.File),
  error: problems(
    "invalid_request",
    "checksum_mismatch",
    "length_mismatch",
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
    description: "The parts may come in either order. The bytes go to the store as they come.",
    permission: "file:write"
  })
)

const reupload = HttpApiEndpoint.post("reupload", "/:fileId/reupload", {
  params,
  headers: announced,
  payload: HttpApiSchema.StreamUint8Array(),
  success: File.File,
  error: problems(
    "invalid_request",
    "checksum_mismatch",
    "length_mismatch",
    "not_found",
    "precondition_failed",
    "content_too_large"
  )
}).annotateMerge(
  describe({
    summary: "Give a file another content",
    description:
      "The body is the content, of any media type. Id, headers, alias and metadata stay; readers see wholly the old " +
      "or wholly the new bytes. Also the second step after a reservation.",
    permission: "file:write"
  })
)

export class ContentsApi extends HttpApiGroup.make("contents")
  .add(upload, reupload)
  .middleware(JsonResponse)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files")
  .annotate(OpenApi.Description, "The bytes of files: writing them.") {}
