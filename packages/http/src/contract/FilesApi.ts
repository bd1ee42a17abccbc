/**
 * Files as records. Their contents are `ContentsApi`.
 */
import * as File from "@holdfast/core/files/File"
import * as FileList from "@holdfast/core/files/FileList"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { created, describe, Flag, page, problems, text } from "./Operation.ts"

const bucket = { tenantId: Schema.String, bucketId: Schema.String }

/** A file is named by its id, or by `@alias`. */
export const params = {
  ...bucket,
  fileId: Schema.String.annotate({ description: "The file's id, or `@` and its alias." })
}

const expands = {
  expands: Schema.optional(Schema.Array(File.Expand)).annotate({
    description: "Optional parts of the record; repeat the parameter for several."
  })
}

const query = {
  ...FileList.Query.fields,
  recursive: Schema.optional(Flag).annotate({ description: "Also what lies in the folders below." }),
  ...expands,
  ...page
}

const reserve = HttpApiEndpoint.post("reserve", "/", {
  params: bucket,
  disableCodecs: true,
  payload: File.CreateFile,
  success: created(File.File),
  error: problems("invalid_request", "not_found", "file_exists", "alias_taken")
}).annotateMerge(
  describe({
    summary: "Reserve a file without content",
    description: "The first of two steps; the second is to reupload.",
    permission: "file:write"
  })
)

const update = HttpApiEndpoint.patch("update", "/:fileId", {
  params,
  disableCodecs: true,
  payload: File.UpdateFile,
  success: File.File,
  error: problems("invalid_request", "not_found", "file_exists", "alias_taken")
}).annotateMerge(
  describe({ summary: "Rename or move a file, or change its alias or metadata", permission: "file:write" })
)

const list = HttpApiEndpoint.get("list", "/", {
  params: bucket,
  query,
  success: FileList.FilePage,
  error: problems("invalid_request", "invalid_cursor", "not_found")
}).annotateMerge(
  describe({
    summary: "List the files of a folder",
    description: "Without a filter and not recursive, the folders at that level come first, as `folders`.",
    permission: "file:read"
  })
)

const get = HttpApiEndpoint.get("get", "/:fileId", {
  params,
  query: expands,
  success: File.File,
  error: problems("invalid_request", "not_found")
}).annotateMerge(describe({ summary: "Read a file's record", permission: "file:read" }))

const remove = HttpApiEndpoint.delete("remove", "/:fileId", {
  params,
  headers: {
    "if-match": text("Only if the content has one of these entity tags."),
    "if-none-match": text("Only if it has none of these.")
  },
  success: HttpApiSchema.NoContent,
  error: problems("invalid_request", "not_found", "precondition_failed")
}).annotateMerge(describe({ summary: "Remove a file for good", permission: "file:write" }))

export class FilesApi extends HttpApiGroup.make("files")
  .add(reserve, update)
  .middleware(JsonRequest)
  .add(list, get)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files")
  .annotate(OpenApi.Description, "Files as records: names, folders, aliases, metadata.") {}
