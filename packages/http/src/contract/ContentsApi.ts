/**
 * Contents of files: uploading and reading bytes.
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
import { created, describe, problems } from "./Operation.ts"

const { fileId: _, ...bucket } = params

const text = (description: string) => Schema.optional(Schema.String).annotate({ description })

/** What a sender may announce of a content, and ask of the one that stands. */
const announced = {
  "repr-digest": text("`sha-256=:<base64>:` (RFC 9530). Other bytes are refused."),
  "content-digest": text("The same, of the request's content."),
  "if-match": text("Only if the content that stands has one of these entity tags."),
  "if-none-match": text("Only if it has none of these; `*`: only if there is none.")
}

/** How a reader may ask for part of a content, or for one that it does not have yet (RFC 9110, sections 13 and 14). */
const conditions = {
  range: text("`bytes=0-99`, `bytes=100-`, `bytes=-100`, or several."),
  "if-range": text("The entity tag or date of the content that the range is of."),
  "if-none-match": text("The entity tags of contents that the caller has."),
  "if-modified-since": text("The date of the content that the caller has."),
  "if-match": text("Only if the content has one of these entity tags."),
  "if-unmodified-since": text("Only if the content is not newer.")
}

/** What a content is served with, besides the file's own headers. */
const served = {
  etag: Schema.String,
  "last-modified": Schema.String,
  "accept-ranges": Schema.Literal("bytes"),
  "content-disposition": Schema.String,
  "x-content-type-options": Schema.Literal("nosniff"),
  "content-security-policy": Schema.optional(Schema.String).annotate({
    description: "`sandbox`, for types that a browser would run."
  })
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

const reading = {
  params,
  headers: conditions,
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), served),
    HttpApiSchema.WithHeaders(Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array(), HttpApiSchema.status(206)), {
      ...served,
      "content-range": Schema.optional(Schema.String).annotate({
        description: "Of one range; several come as `multipart/byteranges`, each with its own."
      })
    }),
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(304), served)
  ],
  error: problems("not_found", "content_not_uploaded", "precondition_failed", "range_not_satisfiable")
} as const

const view = HttpApiEndpoint.get("view", "/:fileId/view", reading).annotateMerge(
  describe({ summary: "Read a content, to be shown", permission: "file:read" })
)

const download = HttpApiEndpoint.get("download", "/:fileId/download", reading).annotateMerge(
  describe({ summary: "Read a content, to be saved", permission: "file:read" })
)

export class ContentsApi extends HttpApiGroup.make("contents")
  .add(upload, reupload, view, download)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files")
  .annotate(OpenApi.Description, "The bytes of files.") {}
