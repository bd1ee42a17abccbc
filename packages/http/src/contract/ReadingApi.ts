/**
 * Downloads: reading the contents of files. `handlers/ReadingRoutes` serves these operations, not Effect's `HttpApiBuilder`.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { params } from "./FilesApi.ts"
import { describe, problems, text } from "./Operation.ts"

/** The headers of conditional requests and of range requests (RFC 9110, sections 13 and 14). */
const conditions = {
  range: text("`bytes=0-99`, `bytes=100-`, `bytes=-100`, or several ranges separated by commas."),
  "if-range": text(
    "The entity tag or date of the content to which the range belongs. For another content, all of it is sent."
  ),
  "if-none-match": text("The entity tags of the contents that the client already has."),
  "if-modified-since": text("The date of the content that the client already has."),
  "if-match": text("Send the content only if it has one of these entity tags."),
  "if-unmodified-since": text("Send the content only if it was not stored after this date.")
}

/** The headers of the response, in addition to the file's own headers. */
const responseHeaders = {
  etag: Schema.String,
  "last-modified": Schema.String,
  "accept-ranges": Schema.Literal("bytes"),
  "content-disposition": Schema.String,
  "x-content-type-options": Schema.Literal("nosniff"),
  "content-security-policy": Schema.optional(Schema.String).annotate({
    description: "Present for types with scripts that a browser would run: a sandbox that can fetch nothing."
  })
}

const reading = {
  params,
  headers: conditions,
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), responseHeaders),
    HttpApiSchema.WithHeaders(Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array(), HttpApiSchema.status(206)), {
      ...responseHeaders,
      "content-range": Schema.optional(Schema.String).annotate({
        description: "Present for one range. For several, each part of the `multipart/byteranges` body has its own."
      })
    }),
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(304), responseHeaders)
  ],
  error: problems(
    "not_found",
    "content_not_uploaded",
    "precondition_failed",
    "range_not_satisfiable",
    "content_damaged",
    "share_exhausted"
  )
} as const

const aboutShares =
  "With the token of a share that limits its downloads, `GET` counts as one and answers `307` with a `Location` that is valid for an hour."

const view = HttpApiEndpoint.get("view", "/:fileId/view", reading).annotateMerge(
  describe({ summary: "Read a content for display", description: aboutShares, permission: "file:read" })
)

const download = HttpApiEndpoint.get("download", "/:fileId/download", reading).annotateMerge(
  describe({ summary: "Download a content", description: aboutShares, permission: "file:read" })
)

export class ReadingApi extends HttpApiGroup.make("reading")
  .add(view, download)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files")
  .annotate(OpenApi.Description, "Downloads: reading the contents of files.") {}
