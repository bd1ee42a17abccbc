/**
 * Contents of files: reading bytes. These routes are served past Effect's `HttpApiBuilder`.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { params } from "./FilesApi.ts"
import { describe, problems, text } from "./Operation.ts"

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
    description: "`sandbox` and no fetching, for types that a browser would run."
  })
}

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

export class ReadingApi extends HttpApiGroup.make("reading")
  .add(view, download)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files")
  .annotate(OpenApi.Description, "The bytes of files: reading them.") {}
