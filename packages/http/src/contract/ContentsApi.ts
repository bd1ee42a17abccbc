/**
 * Uploads: storing the contents of files.
 */
import * as File from "@holdfast/core/files/File"
import * as UploadLink from "@holdfast/core/files/links/UploadLink"
import { OnConflict } from "@holdfast/core/files/NewFile"
import * as UnknownFields from "@holdfast/core/inputs/UnknownFields"
import * as Context from "effect/Context"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Multipart from "effect/http/Multipart"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { params } from "./FilesApi.ts"
import { JsonRequest, JsonResponse } from "./JsonMiddleware.ts"
import { AcceptsUploadLinks, created, describe, location, problems, text } from "./Operation.ts"

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

const query = {
  name: text("The name of the file, if the request has no form that states it, and no upload link."),
  path: text("The folder of the file; `/` when absent."),
  onConflict: Schema.optional(OnConflict)
}

/** `201` for a first content, `200` for one that replaces the content of an existing file. */
const stored = [created(File.File), HttpApiSchema.WithHeaders(File.File, location)] as const

/** What every operation that stores a content may respond with. */
const contentErrors = [
  "invalid_request",
  "checksum_mismatch",
  "length_mismatch",
  "request_timeout",
  "quota_exceeded",
  "not_found",
  "precondition_failed",
  "content_too_large",
  "unsupported_media_type",
  "change_refused",
  "hook_failed"
] as const

const uploadErrors = problems(
  ...contentErrors,
  "file_exists",
  "alias_taken",
  "share_exhausted",
  "offset_mismatch",
  "upload_superseded",
  "upload_incomplete"
)

const aboutLinks =
  "With the key of an upload link, or the token of a share for uploads, the link or share determines all but the content, and the name if it has none; the answer has no alias, " +
  "metadata and headers."

const upload = HttpApiEndpoint.post("upload", "/files/upload", {
  params: bucket,
  query,
  headers: uploadHeaders,
  payload: Schema.Struct({
    file: Multipart.SingleFileSchema,
    body: Schema.optional(Schema.fromJsonString(Description)).annotate({
      description:
        "JSON: the name of the file, its folder and its other properties. Without `name`, the file name of the part `file` is used."
    })
  }).pipe(HttpApiSchema.asMultipartStream()),
  success: stored,
  error: uploadErrors
}).annotateMerge(
  describe({
    summary: "Upload a file",
    description:
      "The parts may be in either order; with a key that is limited to a folder, `body` precedes `file`, or the query has the path. " +
      "The service streams the bytes to the store as they arrive. With `Upload-Complete`, the body is the content, and the upload can be " +
      "resumed (see `uploads`). With the key of an upload link, the " +
      `body may also be the content itself. A form is answered with \`303\` if the link has \`redirectTo\`. ${aboutLinks}`,
    permission: "file:write"
  }).pipe(Context.add(AcceptsUploadLinks, true))
)

const put = HttpApiEndpoint.put("put", "/files/upload", {
  params: bucket,
  query,
  headers: uploadHeaders,
  payload: HttpApiSchema.StreamUint8Array(),
  success: stored,
  error: uploadErrors
}).annotateMerge(
  describe({
    summary: "Upload a file without a form",
    description: `The body is the content, of any media type. With \`Upload-Complete\`, the upload can be resumed (see \`uploads\`). ${aboutLinks}`,
    permission: "file:write"
  }).pipe(Context.add(AcceptsUploadLinks, true))
)

const uploadUrl = HttpApiEndpoint.post("uploadUrl", "/upload-links", {
  params: bucket,
  disableCodecs: true,
  payload: UnknownFields.refuse(UploadLink.CreateUploadLink),
  success: UploadLink.UploadUrl,
  error: problems("invalid_request", "not_found")
}).annotateMerge(
  describe({
    summary: "Create an upload link",
    description:
      "A browser uploads a file with it, without an API key. Nothing is stored: the link works until it expires, and only while the " +
      "caller may write files. It may be used more than once.",
    permission: "file:write"
  })
)

const reupload = HttpApiEndpoint.post("reupload", "/files/:fileId/reupload", {
  params,
  headers: uploadHeaders,
  payload: HttpApiSchema.StreamUint8Array(),
  success: File.File,
  error: problems(...contentErrors)
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
  .add(uploadUrl)
  .middleware(JsonRequest)
  .add(upload, put, reupload)
  .middleware(JsonResponse)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId")
  .annotate(OpenApi.Description, "Uploads: storing the contents of files.") {}
