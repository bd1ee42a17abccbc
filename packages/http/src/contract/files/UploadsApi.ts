/**
 * Resumable uploads: contents that arrive in several requests, by tus 1.0 and by the draft "Resumable Uploads for HTTP" of the IETF.
 * Both protocols have the same addresses: requests of tus have the header `Tus-Resumable`.
 */
import * as File from "@holdfast/core/files/File"
import { OnConflict } from "@holdfast/core/files/NewFile"
import * as Page from "@holdfast/core/Page"
import * as Context from "effect/Context"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "../Authentication.ts"
import { JsonResponse } from "../JsonMiddleware.ts"
import { AcceptsUploadLinks, describe, page, problems, text } from "../Operation.ts"

/** Checks the version of tus that a request names, before anything else, and adds `Tus-Resumable` to the answer. */
export class TusVersion extends HttpApiMiddleware.Service<TusVersion>()("@holdfast/http/contract/TusVersion", {
  error: problems("tus_version_unsupported")
}) {}

/** An upload in parts as the API shows it. */
export const UploadRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String.annotate({ description: "The name that the file will have." }),
  path: Schema.String.annotate({ description: "The folder of the file." }),
  contentType: Schema.NullOr(Schema.String).annotate({ description: "The media type that the client declared." }),
  length: Schema.NullOr(Schema.Int).annotate({ description: "Bytes of the whole content; null while not declared." }),
  received: Schema.Int.annotate({ description: "Bytes that are stored." }),
  state: Schema.Literals(["OPEN", "DONE"]),
  fileId: Schema.NullOr(Schema.String).annotate({
    description: "The file that the upload made; null until it is DONE."
  }),
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString.annotate({
    description: "When the service removes the upload, unless it receives bytes before."
  })
}).annotate({ identifier: "Upload" })
export type UploadRecord = typeof UploadRecord.Type

const bucket = { tenantId: Schema.String, bucketId: Schema.String }
const one = { ...bucket, uploadId: Schema.String }

const query = {
  name: text("The name of the file, if `Upload-Metadata` has none."),
  path: text("The folder of the file; `/` when absent."),
  onConflict: Schema.optional(OnConflict)
}

const requestHeaders = {
  "tus-resumable": text("`1.0.0`: the request is one of tus."),
  "upload-offset": text("Where the body continues the content, in bytes."),
  "upload-length": text("Bytes of the whole content."),
  "upload-complete": text(
    "`?1` if the content ends with this body, `?0` otherwise. The request is one of the IETF draft."
  ),
  "upload-draft-interop-version": text("`8` or `6`: the client understands `104 (Upload Resumption Supported)`.")
}

const creationHeaders = {
  ...requestHeaders,
  "upload-metadata": text(
    "Pairs of a key and a value in Base64. `filename`, `filetype`, `path` and `alias` describe the file, others become its metadata."
  ),
  "upload-defer-length": text("`1`: a later request declares the length (tus)."),
  "if-match": text("Store the content only if the current content has one of these entity tags."),
  "if-none-match": text("Store the content only if the current content has none of these entity tags.")
}

const header = (description: string) => Schema.optional(Schema.String).annotate({ description })

/** What the service answers with both protocols. */
const stateHeaders = {
  "upload-offset": header("Bytes that are stored: where the next request continues."),
  "upload-length": header("Bytes of the whole content, if they are declared."),
  "upload-complete": header("`?1` after the completion (IETF draft)."),
  "upload-limit": header("Limits of the upload (IETF draft)."),
  "upload-expires": header("When the service removes the upload (tus)."),
  "holdfast-file-id": header("The id of the file, once the upload is complete.")
}

const appendErrors = [
  "invalid_request",
  "checksum_mismatch",
  "length_mismatch",
  "request_timeout",
  "quota_exceeded",
  "not_found",
  "file_exists",
  "alias_taken",
  "offset_mismatch",
  "upload_superseded",
  "upload_incomplete",
  "share_exhausted",
  "precondition_failed",
  "content_too_large",
  "unsupported_media_type",
  "change_refused",
  "hook_failed"
] as const

const accepting = (about: Parameters<typeof describe>[0]) =>
  describe({ ...about, permission: "file:write" }).pipe(Context.add(AcceptsUploadLinks, true))

const list = HttpApiEndpoint.get("list", "/", {
  params: bucket,
  query: page,
  success: Page.of(UploadRecord),
  error: problems("invalid_request", "invalid_cursor", "not_found")
}).annotateMerge(
  describe({
    summary: "List the open uploads of a bucket",
    description: "Uploads in parts that are neither complete nor expired.",
    permission: "file:write"
  })
)

const create = HttpApiEndpoint.post("create", "/", {
  params: bucket,
  query,
  headers: creationHeaders,
  payload: HttpApiSchema.StreamUint8Array(),
  success: HttpApiSchema.WithHeaders(File.File.pipe(HttpApiSchema.status(201)), {
    location: Schema.String.annotate({ description: "The path of the upload." }),
    ...stateHeaders
  }),
  error: problems(...appendErrors)
}).annotateMerge(
  accepting({
    summary: "Create a resumable upload",
    description:
      "The creation request of tus 1.0, or of the IETF draft. The body, if there is one, is the beginning of the content. The answer has " +
      "a body only if the request completes an upload of the draft: the record of the file. With the key of an upload link, the link " +
      "determines all but the content, and the name if it has none."
  })
)

const get = HttpApiEndpoint.get("get", "/:uploadId", {
  params: one,
  headers: { "tus-resumable": requestHeaders["tus-resumable"] },
  success: [
    HttpApiSchema.WithHeaders(UploadRecord, stateHeaders),
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(204), stateHeaders)
  ],
  error: problems(...appendErrors)
}).annotateMerge(
  accepting({
    summary: "Get an upload",
    description:
      "`HEAD` returns the offset where the next request continues: it ends a request that still appends to the upload, and answers `200` " +
      "with `Tus-Resumable`, `204` without. With `Tus-Resumable`, an upload that has all of its bytes is completed."
  })
)

const append = HttpApiEndpoint.patch("append", "/:uploadId", {
  params: one,
  headers: requestHeaders,
  payload: HttpApiSchema.StreamUint8Array(),
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(204), stateHeaders),
    HttpApiSchema.WithHeaders(File.File, stateHeaders)
  ],
  error: problems(...appendErrors)
}).annotateMerge(
  accepting({
    summary: "Continue an upload",
    description:
      "The body has the type `application/offset+octet-stream` with tus, `application/partial-upload` with the draft. Bytes that arrive " +
      "before the connection is cut are stored. With the last byte the upload is completed; the answer names the file. A request of the " +
      "draft gets the record of the file."
  })
)

const override = HttpApiEndpoint.post("override", "/:uploadId", {
  params: one,
  headers: {
    ...requestHeaders,
    "x-http-method-override": text("`HEAD`, `PATCH` or `DELETE`: the method that the client means.")
  },
  payload: HttpApiSchema.StreamUint8Array(),
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(200), stateHeaders),
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(204), stateHeaders)
  ],
  error: problems(...appendErrors)
}).annotateMerge(
  accepting({
    summary: "Continue an upload through a proxy that refuses other methods",
    description: "Does what the method in `X-HTTP-Method-Override` does (tus)."
  })
)

const remove = HttpApiEndpoint.delete("remove", "/:uploadId", {
  params: one,
  success: HttpApiSchema.Empty(204),
  error: problems("not_found")
}).annotateMerge(
  accepting({ summary: "End an upload", description: "Removes its bytes. A file that it has made stays." })
)

export class UploadsApi extends HttpApiGroup.make("uploads")
  .add(list)
  .middleware(JsonResponse)
  .add(create, get, append, override, remove)
  .middleware(Authentication)
  .middleware(TusVersion)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files/uploads")
  .annotate(OpenApi.Description, "Resumable uploads: contents that arrive in several requests.") {}
